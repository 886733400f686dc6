#pragma once

#include "app/documents/run_document.h"
#include "app/range/device_table.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/run_measures.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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

// Table of the ops of one iteration, or of chosen ops of all iterations. It includes all lanes and
// is initially sorted by time.
class EventsModel : public TableModel<Event>
{
    Q_OBJECT

public:
    enum class Column : int {
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
    using Filter = std::function<bool(const engine::Span&)>;

    explicit EventsModel(QObject* parent = nullptr);

    // `iteration` is an index into Timeline::iterations; -1: none. Without `only`, every op is
    // listed.
    void show(RunPointer run, int iteration, const Filter& only = {});
    // Lists ops of all iterations, at most `most`.
    void showAll(RunPointer run, const Filter& only, std::size_t most);
    // Returns the row of the op; -1 if it is not listed with that lane and iteration.
    int rowOf(std::uint32_t op, engine::Track::Kind lane, int iteration) const;

private:
    void list(std::vector<Event> events, std::int64_t longest);
    Columns columns() const;
    std::int64_t startOf(const Event& event) const; // start of the event's iteration

    RunPointer m_run;
    bool m_isOfAll = false; // lists ops of all iterations
    Scale m_time;
};

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
    // The columns that a narrow table hides: those after the peak, the last column first.
    const std::vector<int>& dispensable() const { return m_dispensable; }

private:
    QVariant headerToolTip(int section, const QString& title) const override;
    void showColumns();
    Columns categoryColumns() const; // the categories of time that occur, and the bubble

    profiler::RunMetrics m_metrics;
    engine::IdVector<engine::DeviceId, std::int64_t> m_workOnPath;
    std::vector<int> m_dispensable;
    std::optional<profiler::TimeCategory> m_selected;
};

// Table of the kernels of a run by kind of op, with their counts, times and shares.
class KernelsModel : public TableModel<profiler::KernelRow>
{
    Q_OBJECT

public:
    enum class Column : int { Kernel, Kind, Op, Count, Total, Mean, Shortest, Longest, Share };

    explicit KernelsModel(QObject* parent = nullptr);

    // `activity` belongs to the run; ownership is shared.
    void show(const engine::Run& run, std::shared_ptr<const profiler::GpuActivity> activity,
              const profiler::KernelFilter& filter);
    const std::vector<profiler::OpKindWork>& ops() const { return m_ops; }
    QString csv() const; // header and rows as shown, but with times in ns and full names

private:
    const profiler::KernelName& nameOf(const profiler::KernelRow& row) const
    {
        return m_activity->names()[row.name];
    }
    Columns columns() const;

    std::shared_ptr<const profiler::GpuActivity> m_activity;
    std::vector<profiler::OpKindWork> m_ops;
};

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
