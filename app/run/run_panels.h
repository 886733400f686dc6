#pragma once

#include "app/run/events_model.h"
#include "app/run/metrics_model.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/path_marks.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace app {

class DataTable;
class DevicesPanel;
class KernelPanel;
class MemoryPanel;
class NotesPanel;
class ProgressPanel;
class RangePanel;
class Tag;

// The bottom dock of a run: Range (while a range is marked), Devices (if there are several),
// Summary, Events, Kernels, Memory, Progress, Notes, Log. If the dock is folded, only the tabs and
// three key numbers remain.
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

    explicit RunPanels(const ThemeController& theme, QWidget* parent = nullptr);

    // Shows the tables of the run and of the iteration.
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
    void setPanel(Panel panel);
    // Makes Devices current instead of Summary, for a run with many devices.
    void preferDevices();
    // Shows or hides the tab Range. If Devices or Summary is current when Range is shown, Range
    // becomes current. If Range is current when it is hidden, the earlier tab becomes current
    // again.
    void setRangeShown(bool shown);
    RangePanel& range() { return *m_range; }
    ProgressPanel& progress() { return *m_progress; }
    NotesPanel& notes() { return *m_notes; }
    bool isFolded() const { return m_isFolded; }
    void setFolded(bool folded);

Q_SIGNALS:
    // A row for an op, bubble or device was selected.
    void selected(const app::Selection& selection);
    void foldedChanged(bool folded);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Listed { EveryOp, Path, Hits };

    QString hintOf(Panel panel) const;
    QString eventsHint(const QString& iteration) const;
    void list(Listed listed);
    void listOnly(Listed listed);
    void fillEvents();
    void fitHint();
    QWidget* makeTabRow(const ThemeController& theme);
    void fillShownPanel();
    void updateHint();
    void updateFoldIcon();
    void chooseEvent(const QModelIndex& index);
    void chooseDevice(engine::DeviceId device);
    void setShown(Panel panel, bool shown); // shows or hides the tab of a panel

    const ThemeController& m_theme;
    MetricsModel* m_metrics;
    EventsModel* m_events;
    QTabBar* m_tabs;
    Tag* m_mode;
    QLabel* m_hint;
    QToolButton* m_fold;
    QStackedWidget* m_stack;
    DataTable *m_summaryTable, *m_eventsTable;
    RangePanel* m_range;
    DevicesPanel* m_devices;
    KernelPanel* m_kernels;
    MemoryPanel* m_memory;
    ProgressPanel* m_progress;
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
