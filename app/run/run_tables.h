#pragma once

#include "app/documents/run_document.h"
#include "app/range/device_table.h"
#include "app/timeline/view/kernel_view.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace app {

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

// The table of the kernels of a run by kind of op, with their counts, times and shares.
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

} // namespace app
