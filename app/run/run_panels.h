#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/run/run_tables.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/path_marks.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/row_table.h"
#include "app/ui/theme.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"

#include <QWidget>

#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace app {

class DevicesPanel;
class EmptyState;
class MemoryAreas;
class MetricsModel;
class NotesPanel;
class RangePanel;
class RunActions;
class Tag;

// The kernels of a run by kind of op, filtered by kind, device and scope. The table can be copied
// and saved as CSV. If the kernels are unknown, the panel states the reason.
class KernelPanel : public QWidget
{
    Q_OBJECT

public:
    explicit KernelPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunPointer& run, KernelViewPointer kernels, const QString& reason);
    using QWidget::show;
    void showIteration(int iteration); // sets the iteration for the scope "this iteration"
    void showSelection(const Selection& selection);

private:
    enum class Scope : int { Run, Iteration, Selection };

    QWidget* makeBar();
    void fillChoices();
    void refresh();
    bool isOfScope(Scope scope) const;
    profiler::KernelFilter filter() const;
    void save();

    const ThemeController& m_theme;
    QComboBox *m_op, *m_device, *m_scope;
    QLabel* m_sum;
    QStackedWidget* m_stack;
    RowTable<profiler::KernelRow>* m_table;
    EmptyState* m_empty;
    RunPointer m_run;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
};

// Memory over time, as on the memory page. Runs on GPUs also have a table of memory by owner.
class MemoryPanel : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunViewPointer& view, int iteration); // index into Timeline::iterations
    using QWidget::show;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void shareWidth();

    MemoryAreas* m_areas;
    QWidget* m_gpus; // hidden for runs without GPUs
    RowTable<GpuMemoryRow>* m_gpuTable;
};

// The bottom dock of a run: Range (while a range is marked), Devices (if there are several),
// Summary, Events, Kernels, Memory, Progress, Notes, Log. If the dock is folded, only the tabs
// remain. Long tables are filled when they are shown.
class RunPanels : public QWidget
{
    Q_OBJECT

public:
    enum class Panel : int {
        Range,
        Devices,
        Summary,
        Events,
        Kernels,
        Memory,
        Progress,
        Notes,
        Log
    };
    static constexpr int kTabsHeight = 33;

    RunPanels(const ThemeController& theme, const RunActions& actions, QWidget* parent = nullptr);

    void showRun(const RunViewPointer& view, int iteration);
    void showMetrics(const RunPointer& run, const profiler::RunMetrics& metrics);
    void showSelection(const Selection& selection);
    // `kernels` is nullptr if unknown (`reason` says why), and empty if the run has no kernels.
    void showKernels(KernelViewPointer kernels, const QString& reason);
    // Adds the column of the critical path to the summary; showPathEvents() also lists its ops in
    // the events. nullptr removes both.
    void setPath(PathMarksPointer path);
    void showPathEvents();
    // Lists only these hits of all iterations in the events; nullptr: lists every op again. If the
    // hits are kernels, lists the ops that launched them. Opens the panel unless hits were listed
    // before.
    void setHits(FoundPointer hits);
    void addLogLine(const QString& line);
    void open(Panel panel); // unfolds the dock, too
    void setPanel(Panel panel);
    void preferDevices(); // makes Devices current instead of Summary, for a run with many devices
    // If Devices or Summary is current when the tab Range is shown, Range becomes current. If Range
    // is current when it is hidden, the earlier tab becomes current again.
    void setRangeShown(bool shown);
    RangePanel& range() { return *m_range; }
    // The rows from `first` on are new or have changed.
    void showIterations(const engine::RunInfo& info, std::size_t first,
                        std::vector<IterationRow> rows);
    NotesPanel& notes() { return *m_notes; }
    bool isFolded() const { return m_isFolded; }
    void setFolded(bool folded);

Q_SIGNALS:
    void selected(const app::Selection& selection); // a row for an op, bubble or device
    void iterationChosen(int iteration);            // index into Timeline::iterations
    void foldedChanged(bool folded);
    void chartExported(const app::DrawChart& chart); // the user asks for a file of a chart

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Listed { EveryOp, Path, Hits };

    QWidget* makeTabRow();
    QWidget* makeProgress();
    void updateFoldIcon();
    void updateHint();
    QString hintOf(Panel panel) const;
    QString eventsHint(const QString& iteration) const;
    void fitHint();
    void fillShownPanel();
    void fillEvents();
    void list(Listed listed);
    void chooseEvent(const QModelIndex& index);
    void chooseDevice(engine::DeviceId device);
    Panel shown() const;
    bool isOffered(Panel panel) const;
    void setOffered(Panel panel, bool offered); // shows or hides the tab of a panel

    const ThemeController& m_theme;
    MetricsModel* m_metrics;
    TableModel<IterationRow> m_iterations;
    QTabBar* m_tabs;
    Tag* m_mode;
    QLabel *m_hint, *m_logLine;
    QToolButton* m_fold;
    QStackedWidget* m_stack;
    DataTable* m_summaryTable;
    RowTable<Event>* m_events;
    RangePanel* m_range;
    DevicesPanel* m_devices;
    KernelPanel* m_kernels;
    MemoryPanel* m_memory;
    SceneView* m_loss;
    NotesPanel* m_notes;
    QPlainTextEdit* m_log;
    RunViewPointer m_view;
    RunPointer m_run; // run of m_view
    int m_iteration = -1;
    Panel m_beforeRange = Panel::Summary;
    bool m_isFolded = false;
    PathMarksPointer m_path;
    FoundPointer m_hits;
    Listed m_listed = Listed::EveryOp; // which ops the tab Events lists
    bool m_areEventsFresh = false, m_isMemoryFresh = false;
};

} // namespace app
