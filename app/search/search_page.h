#pragma once

#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/search/search.h"

#include <QTimer>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {

class Band;
class BoundFields;
class CostForm;
class DataTable;
class SceneView;
class SchedulePreview;

// What a search has found so far, over its time.
struct SearchHistory
{
    double budget = 0;                            // seconds that the search may take
    std::vector<std::pair<double, double>> steps; // seconds and length of every improvement
    profiler::SearchProgress now;

    void add(const profiler::SearchProgress& progress);
};

// The unit in which lengths are shown, and its name: (1, "units") or (1e6, "ms").
std::pair<double, QString> lengthUnit(bool inUnits);

// The best length over time as steps, the best published schedule as a dashed line, and the bound
// as a line with a shade below it.
profiler::MarkedScene searchChart(const SearchHistory& history, const ChartLook& look);

struct SearchSettings
{
    RunPlan plan;       // its scheme is not used
    std::string memory; // as of profiler::memoryLimit()
    bool variesPlacement = false;
    double seconds = 10;
};

// Searches the shortest schedule for given costs. The search runs on other threads, and the page
// looks at its progress five times a second, however often it reports. Closing the page stops it.
class SearchPage : public Page
{
    Q_OBJECT

public:
    explicit SearchPage(const ThemeController& theme, QWidget* parent = nullptr);
    ~SearchPage() override;

    QString title() const override { return tr("Shortest schedule"); }
    QStringList statusTexts() const override;
    QString statusNote() const override;
    QList<QAction*> menuActions(Menu menu) const override;
    void showRequest(const PageRequest& request) override;
    QJsonObject state() const override;
    void restoreState(const QJsonObject& state) override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    using Published = TableModel<profiler::PublishedSchedule>;
    struct Running // shared with the threads of the search
    {
        std::atomic<bool> stop{false};
        std::mutex mutex; // protects the others
        SearchHistory history;
        std::vector<profiler::PublishedSchedule> schemes;
        profiler::MemoryLimit limit;
    };
    static engine::Result<profiler::SearchResult> searched(const SearchSettings& settings,
                                                           Running& running);

    void makeActions();
    QWidget* makeForm();
    void makeShape(QVBoxLayout& column);
    void makeSearch(QVBoxLayout& column);
    QWidget* makeCentre();
    QWidget* makeResult();
    Published::Columns columns() const;

    void setPlan(const RunPlan& plan);
    void followRun(); // takes the number of chunks from the run with the costs
    void edited();
    void start();
    void stop();
    void showProgress();
    void finish(engine::Result<profiler::SearchResult> result);
    void showResult();
    void showSentence();
    void enable();
    void openInEditor();
    void exportCsv();
    void copyCommand();
    QString command() const; // that repeats the search of the result

    const ThemeController& m_theme;
    SearchSettings m_settings;                          // of the form
    SearchSettings m_searched;                          // of the last search
    SearchHistory m_history;                            // of the last search
    std::vector<profiler::PublishedSchedule> m_schemes; // sorted by length
    profiler::MemoryLimit m_limit;
    std::shared_ptr<Running> m_running;                     // nullptr: no search runs
    std::shared_ptr<const profiler::SearchResult> m_result; // nullptr: none yet
    Background m_background{this};
    ViewPreparation m_views;
    RunSaver m_saver{this};
    QTimer m_tick;

    Published* m_published;
    BoundFields* m_fields;
    CostForm* m_costs;
    QWidget* m_form = nullptr;
    QLineEdit* m_memory = nullptr;
    QPushButton *m_startButton, *m_stopButton;
    Band *m_sentence, *m_notice;
    QLabel *m_problem, *m_left, *m_facts, *m_from, *m_differences;
    SceneView* m_chart;
    SchedulePreview* m_preview;
    DataTable* m_table;
    QAction *m_start, *m_stop, *m_edit, *m_export, *m_copy, *m_showResult;
};

} // namespace app
