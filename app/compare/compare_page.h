#pragma once

#include "app/compare/compare_actions.h"
#include "app/compare/compare_numbers.h"
#include "app/compare/compared_runs.h"
#include "app/compare/run_parameters.h"
#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_preparation.h"
#include "app/ui/latest.h"
#include "app/ui/theme.h"

#include <QTimer>

#include <memory>
#include <vector>

namespace app {

class CompareFrame;
class RunSaver;

// Shows the ticked runs with a common ruler, their differences from a baseline, and how each run
// spends its time. Five or more runs are ranked. Runs are ticked in the dock of any page.
class ComparePage : public Page
{
    Q_OBJECT

public:
    // Ticks `documents` and unticks all other runs.
    ComparePage(const ThemeController& theme, RunLibrary& library,
                const std::vector<std::shared_ptr<RunDocument>>& documents,
                QWidget* parent = nullptr);

    void tick(const std::vector<std::shared_ptr<RunDocument>>& documents); // unticks all others
    void showRequest(const PageRequest& request) override { tick(request.runs); }
    QString title() const override
    {
        return m_compared.size() == 1 ? tr("Compare 1 run")
                                      : tr("Compare %1 runs").arg(m_compared.size());
    }
    QStringList files() const override
    {
        QStringList files;
        for (const auto& document : m_compared.documents())
            files.append(document->file());
        return files;
    }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override { return m_actions.of(menu); }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void connectActions();
    void connectAll();
    void connectLanes();

    void refresh(); // call it after the ticked runs or their data changed
    void showRuns();
    void askForNumbers();
    struct Compared
    {
        std::vector<RunPointer> runs;
        std::size_t baseline = 0;
        QStringList titles;
    };
    static engine::Result<CompareNumbers> computeNumbers(const Compared& request);
    void takeNumbers(engine::Result<CompareNumbers> numbers);
    void showNumbers(); // does nothing until both the numbers and the views are known
    void rankBy(profiler::RankBy by);
    void fillBaselines();
    void setBaseline(int run);
    void choose(int run);
    void explain(int run, const Selection& selection); // shows the selected item in the details
    void showParameters();
    void addPrediction();
    void addRunMenu();

    const ThemeController& m_theme;
    RunLibrary& m_library;
    Background m_background{this};
    Latest<Compared, engine::Result<CompareNumbers>> m_asked{
        this, [](const Compared& request, const auto&) { return computeNumbers(request); },
        [this](engine::Result<CompareNumbers> numbers) { takeNumbers(std::move(numbers)); }};
    ViewPreparation m_views;
    ComparedRuns m_compared;
    std::vector<RunParameter> m_parameters;
    CompareNumbersPointer m_numbers; // nullptr: being computed
    profiler::RankBy m_rankBy = profiler::RankBy::Iteration;
    profiler::RankOrder m_direction = profiler::RankOrder::BestFirst;
    QTimer m_refresh;        // delays refresh(), so that ticking many runs causes one update
    bool m_hasViews = false; // whether the lanes show m_compared
    int m_explained = -1;    // run that the details describe; -1: none

    CompareActions m_actions;
    RunSaver* m_saver;
    CompareFrame* m_frame = nullptr;
};

} // namespace app
