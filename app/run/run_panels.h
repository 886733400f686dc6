#pragma once

#include "app/documents/run_document.h"
#include "app/figures/scene_view.h"
#include "app/range/range_panel.h"
#include "app/shell/page.h"
#include "app/shell/run_saver.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/find.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/timeline/note.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/why/stragglers.h"

#include <QString>
#include <QWidget>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

class QBoxLayout;
class QLabel;
class QScrollArea;

namespace app {

class ThemeController;

// The actions of a run's page. They are one table, because name, text, key and menu of an action
// are read together: by the menus, the list of keys and the palette.
class RunActions
{
    Q_DECLARE_TR_FUNCTIONS(RunActions)

public:
    RunActions(const ThemeController& theme, Page& page); // `page` owns the actions

    QList<QAction*> of(Menu menu) const;

    QAction *pause, *stop, *follow, *copyCommand;
    QAction *back, *forward, *fit, *fitAll, *fitSelection, *flow, *colourBy, *kernels, *plan;
    QAction *showRuns, *showDetails, *foldPanels;
    QAction *expandLane, *groupLanes, *groupAllLanes;
    QAction *compare, *exportFigure, *exportReport, *exportTrace;
    QAction *importReport, *why, *whatIf, *memory, *query, *find, *findNext, *findPrevious;
    QAction *markRange, *note, *bookmark, *undo, *redo, *saveCopy, *savePart;
};

// The search bar below the toolbar, 36 px high. It searches one run for its query, steps through
// the hits, and selects all of them until the query changes, the bar is closed or something else is
// selected.
class FindBar : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;
    static FindBar* make(const ThemeController& theme);
    // Repeats the search in this run. `view` and `kernels` may be nullptr: no run, kernels unknown.
    virtual void setRun(RunViewPointer view, KernelViewPointer kernels) = 0;
    // Sets where stepping starts: at the selection if it is a hit, otherwise at the first hit in or
    // after `iteration`.
    virtual void setPlace(const Selection& selection, int iteration) = 0;
    virtual void open() = 0;                          // shows the bar with the previous query
    virtual void openWith(const QString& facets) = 0; // "op:F stage:1"
    virtual void step(int by) = 0;                    // 1: next hit, -1: previous hit
    virtual void selectAll() = 0;

Q_SIGNALS:
    void found(const app::FoundPointer& found);      // nullptr: no search
    void chosen(const app::Selection& hit);          // Kind::None: clear the selection
    void allSelected(const app::FoundPointer& hits); // nullptr: no longer selected
    void closed();
};

class RunDocument;

// The notes of one run: a table, a bar in which a note on the selection is written, and a band that
// says why a note was not stored. If the file is read-only, the notes go to a copy of it.
class NotesPanel : public QWidget
{
    Q_OBJECT

public:
    static NotesPanel* make(const ThemeController& theme, const RunActions& actions);

    // Both are children of the panel until they are added to a layout.
    virtual QWidget* bar() const = 0;
    virtual QWidget* band() const = 0;
    virtual const std::vector<engine::Note>& notes() const = 0;
    // Reads the notes once the file is complete. `view` may be nullptr.
    virtual void setRun(const RunViewPointer& view, const RunDocument& document) = 0;
    virtual void setSelection(const Selection& selection) = 0;
    virtual void setCurrent(int row) = 0; // -1: none; emits no signal

Q_SIGNALS:
    void changed();
    void chosen(int row);
    void closed();                           // the bar was closed
    void openRequested(const QString& file); // the run was copied to `file`
};

class MemoryAreas;
struct MemoryReport;
class RangePanel;

// The losses of one iteration. The Replay has no LossPoint, because it was not executed.
struct LossPoint
{
    bool isWarmup = false;
    int number = 0; // number among the iterations of its kind
    double mean = 0;
    std::vector<float> microBatches; // losses of the micro-batches; empty if unknown
};

struct LossSeries
{
    std::vector<LossPoint> points;
    int planned = 0; // planned iterations, including warm-up
    // Entropies of the training text in nats per token, drawn as reference lines.
    std::optional<double> unigramEntropy, entropyRate;

    // The largest finite mean, micro-batch loss or reference line; 0 if there is none.
    double highest() const;
};

LossSeries lossSeries(const engine::Run& run);

// Draws the loss by iteration: dots for micro-batches, a line for the mean, another background for
// warm-up, and dashed lines for the two entropies of the training text.
profiler::MarkedScene lossChart(const LossSeries& series, const ChartLook& look);

// The bubble by cause. Empty if no device has a bubble.
DeviceColumns bubbleColumns(const engine::Run& run, const profiler::RunMetrics& metrics);

// Draws how much longer the work of each device took than that of the others: a row per device, a
// column per iteration. A mark is a device. Without space for all, a cell shows the highest of its
// devices and iterations. Devices that may have more work than the others are hatched.
profiler::MarkedScene paceMap(const profiler::Stragglers& found, const ChartLook& look);
// "Device 1: 12.0 % longer, median (95 % interval +10.1 to +13.9 %); the slowest in 3 of 3
// iterations"
QString paceText(const profiler::Stragglers& found, engine::DeviceId device);

// Charts of the peak memory and of the bubble by cause, with one column per device, and of the pace
// of the devices in every iteration. The charts are side by side or, in a narrow panel, one above
// the other.
class DevicesPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DevicesPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics);
    // Compares the pace of the devices in the background, once the run is complete.
    void comparePaces(const RunPointer& run);
    void mark(engine::DeviceId device); // without a signal; invalid: none

Q_SIGNALS:
    void chosen(engine::DeviceId device);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    using Paces = std::pair<RunPointer, engine::Result<profiler::Stragglers>>;

    std::array<SceneView*, 3> views() const { return {m_memory, m_bubble, m_pace}; }
    void showPaces(const Paces& paces);

    DeviceView *m_memory, *m_bubble; // hidden if there is nothing to show
    SceneView* m_pace;               // hidden if the run does not show which device is slow
    RunPointer m_pacesOf;
    std::optional<profiler::Stragglers> m_paces;
    Latest<RunPointer, Paces> m_comparison;
    QBoxLayout* m_charts;
    QScrollArea* m_scroll;
    QLabel* m_empty; // in place of the charts
};

// One execution of an op.
struct Event
{
    engine::Window window;
    std::uint32_t op = 0; // OpIndex
    int iteration = -1;   // index into Timeline::iterations
    engine::DeviceId device;
    engine::Track::Kind lane = engine::Track::Kind::Compute;
    engine::Op what;
};

using EventFilter = std::function<bool(const engine::Span&)>; // empty: every op

// Returns the ops of one iteration (an index into Timeline::iterations), or of all (nullopt), in
// all lanes, sorted by time; at most `most`.
std::vector<Event> eventsOf(const engine::Run& run, std::optional<int> iteration,
                            const EventFilter& only = {},
                            std::size_t most = std::numeric_limits<std::size_t>::max());

// The table of eventsOf() with the same iteration.
enum class EventColumn : int {
    Op,
    Kind,
    Device,
    Stage,
    MicroBatch,
    Direction,
    Start, // relative to the start of the iteration
    Duration,
    End,
    Iteration, // only if ops of all iterations are listed
};
std::vector<TableColumn<Event>> eventColumns(const RunPointer& run, std::optional<int> iteration);

struct IterationRow
{
    engine::Iteration::Kind kind = engine::Iteration::Kind::Measured;
    int number = 0;
    std::optional<std::int64_t> duration; // nullopt: unknown, see whyIterationUnknown()
    double bubbleRatio = 0;
    std::optional<double> loss, gradientNorm, tokensPerSecond;

    friend bool operator==(const IterationRow&, const IterationRow&) = default;
};

// Returns the rows of the iterations from `first` on. May be called on any thread if the run no
// longer changes.
std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first);

// The table of the iterations: row i is Timeline::iterations[i]. Its unit is that of `duration`.
std::vector<TableColumn<IterationRow>> iterationColumns(const engine::RunInfo& info,
                                                        std::optional<std::int64_t> duration);

// Table of the metrics of one iteration: the summary of a run.
class MetricsModel : public DeviceTable
{
    Q_OBJECT

public:
    using DeviceTable::DeviceTable;

    void show(RunPointer run, profiler::RunMetrics metrics); // `metrics` belong to `run`
    // Adds a column with the ticks that each device contributes to the critical path; an empty
    // `work` removes it.
    void setWorkOnPath(engine::IdVector<engine::DeviceId, std::int64_t> work);
    // Emphasizes the title of the column of a category of time; nullopt: of none.
    void setSelected(std::optional<profiler::TimeCategory> category);
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    const profiler::RunMetrics& metrics() const { return m_metrics; }

private:
    QVariant headerToolTip(int section, const QString& title) const override;
    void showColumns();
    Columns categoryColumns() const; // the categories of time that occur, and the bubble

    profiler::RunMetrics m_metrics;
    engine::IdVector<engine::DeviceId, std::int64_t> m_workOnPath;
    std::optional<profiler::TimeCategory> m_selected;
};

enum class KernelColumn : int { Kernel, Kind, Op, Count, Total, Mean, Shortest, Longest, Share };
std::vector<TableColumn<profiler::KernelRow>> kernelColumns(const KernelViewPointer& kernels);
// Header and rows as shown, but with times in ns and full names.
QString kernelsCsv(const TableModel<profiler::KernelRow>& table, const KernelView& kernels);

struct GpuMemoryRow
{
    const profiler::Measure<engine::GpuMemory>* measure = nullptr; // nullptr: a note
    QString title;
};

// Fills a table with the GPU memory at the end of a run. The columns are all GPUs together, then
// each GPU. The rows are the measures that `bscope analyze` has as columns, because a run has few
// GPUs and many owners of memory. The table is empty without GPUs.
void showGpuMemory(TableModel<GpuMemoryRow>& model, const std::vector<engine::GpuMemory>& gpus);

// The kernels of a run by kind of op, filtered by kind, device and scope. The table can be copied
// and saved as CSV. If the kernels are unknown, the panel states the reason.
class KernelPanel : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;
    static KernelPanel* make(const ThemeController& theme);
    virtual void show(const RunPointer& run, KernelViewPointer kernels, const QString& reason) = 0;
    using QWidget::show;
    virtual void showIteration(int iteration)
        = 0; // sets the iteration for the scope "this iteration"
    virtual void showSelection(const Selection& selection) = 0;
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
    Latest<std::pair<RunViewPointer, int>, std::shared_ptr<const MemoryReport>> m_report;
};

// The bottom dock of a run: Range (while a range is marked), Devices (if there are several),
// Summary, Events, Kernels, Memory, Progress, Notes, Log. If the dock is folded, only the tabs
// remain. Long tables are filled when they are shown.
class RunPanels : public QWidget
{
    Q_OBJECT

public:
    using QWidget::QWidget;
    static RunPanels* make(const ThemeController& theme, const RunActions& actions);
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
    virtual void showRun(const RunViewPointer& view, int iteration) = 0;
    virtual void showMetrics(const RunPointer& run, const profiler::RunMetrics& metrics) = 0;
    virtual void showSelection(const Selection& selection) = 0;
    // `kernels` is nullptr if unknown (`reason` says why), and empty if the run has no kernels.
    virtual void showKernels(KernelViewPointer kernels, const QString& reason) = 0;
    // Adds the column of the critical path to the summary; showPathEvents() also lists its ops in
    // the events. nullptr removes both.
    virtual void setPath(PathMarksPointer path) = 0;
    virtual void showPathEvents() = 0;
    // Lists only these hits of all iterations in the events; nullptr: lists every op again. If the
    // hits are kernels, lists the ops that launched them. Opens the panel unless hits were listed
    // before.
    virtual void setHits(FoundPointer hits) = 0;
    virtual void addLogLine(const QString& line) = 0;
    virtual void open(Panel panel) = 0; // unfolds the dock, too
    virtual void setPanel(Panel panel) = 0;
    virtual void preferDevices()
        = 0; // makes Devices current instead of Summary, for a run with many devices
    // If Devices or Summary is current when the tab Range is shown, Range becomes current. If Range
    // is current when it is hidden, the earlier tab becomes current again.
    virtual void setRangeShown(bool shown) = 0;
    virtual RangePanel& range() = 0;
    // The rows from `first` on are new or have changed.
    virtual void showIterations(const engine::RunInfo& info, std::size_t first,
                                std::vector<IterationRow> rows)
        = 0;
    virtual NotesPanel& notes() = 0;
    virtual bool isFolded() const = 0;
    virtual void setFolded(bool folded) = 0;

Q_SIGNALS:
    void selected(const app::Selection& selection); // a row for an op, bubble or device
    void iterationChosen(int iteration);            // index into Timeline::iterations
    void foldedChanged(bool folded);
    void chartExported(const app::DrawChart& chart); // the user asks for a file of a chart
};

} // namespace app
