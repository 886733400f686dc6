#pragma once

#include "app/jobs/background.h"
#include "app/jobs/run_library.h"
#include "app/jobs/view_preparation.h"
#include "app/models/theme.h"
#include "app/widgets/controls/page.h"
#include "profiler/analysis/compare.h"

#include <memory>
#include <vector>

class QAction;
class QComboBox;
class QSplitter;
class QStackedWidget;

namespace app {

class Band;
class CompareWidget;
class ComparisonPanels;
class EmptyState;
class RunSaver;
class RunsDock;

// Shows the ticked runs with a common ruler, their differences from a baseline, and how each run
// spends its time. Runs are ticked in the dock of any page.
class ComparePage : public Page
{
    Q_OBJECT

public:
    // Ticks these runs and no others.
    ComparePage(const ThemeController& theme, RunLibrary& library,
                const std::vector<std::shared_ptr<RunDocument>>& documents,
                QWidget* parent = nullptr);

    QString title() const override
    {
        return m_runs.size() == 1 ? tr("Compare 1 run") : tr("Compare %1 runs").arg(m_runs.size());
    }
    QStringList files() const override
    {
        QStringList files;
        for (const auto& document : m_documents)
            files.append(document->file());
        return files;
    }
    QStringList statusTexts() const override;
    QString statusNote() const override
    {
        return m_runs.empty() ? QString() : tr("the reported iteration of every run");
    }
    QList<QAction*> menuActions(Menu menu) const override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeActions();
    void buildLayout();
    QWidget* makeToolbar();
    void distributeHeight();
    void connectAll();

    void refresh(); // call it after the ticked runs or their data changed
    void askForNumbers();
    void showNumbers(const engine::Result<profiler::Comparison>& comparison);
    void fillBaselines();
    void setBaseline(int run);
    void addPrediction();
    void addRunMenu();
    QStringList titles() const;

    const ThemeController& m_theme;
    RunLibrary& m_library;
    Background m_background;
    ViewPreparation m_views;
    std::vector<std::shared_ptr<RunDocument>> m_documents; // compared, in order
    std::vector<RunPointer> m_runs;                        // [document]
    std::size_t m_baseline = 0;
    // The baseline that the user chose. If it is nullptr, the baseline follows from the set of
    // runs, not from their order.
    std::shared_ptr<RunDocument> m_chosen;
    int m_generation = 0; // number of the last request for metrics
    bool m_hasRoomForRuns = true;

    QAction *m_back = nullptr, *m_forward = nullptr, *m_fit = nullptr, *m_blink = nullptr,
            *m_addRun = nullptr, *m_export = nullptr, *m_report = nullptr, *m_predict = nullptr,
            *m_showRuns = nullptr;
    RunsDock* m_dock = nullptr;
    RunSaver* m_saver;
    QComboBox* m_baselineBox = nullptr;
    Band *m_band = nullptr, *m_refused = nullptr; // m_refused: for files that are not runs
    ComparisonPanels* m_tables = nullptr;
    CompareWidget* m_compare = nullptr;
    EmptyState* m_empty = nullptr;
    QWidget* m_single = nullptr;
    QStackedWidget* m_stack = nullptr;
    QSplitter* m_rows = nullptr;
    bool m_areRowsChosen = false; // whether the user chose the height of the rows
};

} // namespace app
