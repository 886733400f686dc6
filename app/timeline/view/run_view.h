#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/ui/text.h"
#include "engine/timeline/run.h"
#include "engine/timeline/span_index.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"

#include <QCoreApplication>
#include <QObject>
#include <QString>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace app {

// Replaces QObject::tr() in painters and details, which are free functions.
inline QString tr(const char* text)
{
    return QCoreApplication::translate("app::Timeline", text);
}

// Texts in and beside the lanes.
QString rangeText(engine::Window window, double origin, const Scale& scale); // "103.6 – 107.5"
QString microBatchText(const engine::Op& op); // "5", "5.1" for a slice
QString directionText(const engine::Op& op);  // "down", "up"
QString opTitle(engine::OpKind kind);         // "forward", "weight gradient"
// "iteration 1", "warm-up 0", "typical ops"
QString iterationTitle(const engine::Timeline& timeline, int iteration);

// The parts of a coverage column, from the bottom. The rest of the column is bubble.
enum class Share : std::uint8_t {
    Backward,
    Forward,
    Recompute,
    Weight,
    Communication,
    Optimizer,
};
constexpr int kShares = 6;
using Busy = std::array<double, kShares>; // indexed by Share; in ticks or as shares of a window
// The number of parts of a kernel column: one per KernelKind, and the time that NCCL kernels wait
// for other ranks.
constexpr int kKernelShares = profiler::kKernelKinds + 1;
constexpr std::uint8_t kWaitShare = profiler::kKernelKinds;
using KernelBusy = std::array<double, kKernelShares>;

Share shareOf(engine::OpKind kind);

// Computes the exact busy time per kind before any instant, from cumulative sums for every 16 spans
// (3 bytes per span). A pixel column needs one short search, even in a track of ten million spans.
template<class Kind, std::size_t kCount>
class BusyIndexOf
{
public:
    using Sums = std::array<double, kCount>;

    BusyIndexOf() = default;
    // `spans` must outlive this object. `kinds` has the kind of every op that a span refers to.
    BusyIndexOf(std::span<const engine::Span> spans, std::span<const Kind> kinds);

    // Answers queries at ascending instants; each search starts at the previous result. The index
    // must outlive the sweep.
    class Sweep
    {
    public:
        explicit Sweep(const BusyIndexOf& index)
            : m_index(&index)
        { }
        Sums before(double time); // `time` must not be earlier than in the last call

    private:
        const BusyIndexOf* m_index;
        // Index of the first span that has not ended; earlier ones are in the sums.
        std::size_t m_next = 0;
        Sums m_sum{};
    };

    // Ticks per kind before `time`, which may be a fraction of a tick.
    Sums before(double time) const { return Sweep(*this).before(time); }
    Sums within(double begin, double end) const;
    std::span<const engine::Span> spans() const { return m_index.spans(); }
    std::span<const engine::Span> around(engine::Window window) const
    {
        return m_index.around(window);
    }

private:
    // Adds `duration` to the sum of the span's kind; for a joint op, adds half of it.
    void add(const engine::Span& span, double duration, Sums& sums) const;
    void findJoint();

    static constexpr std::size_t kBlock = engine::SpanIndex::kBlock;
    engine::SpanIndex m_index;
    std::span<const Kind> m_kinds;
    bool m_hasJoint = false;
    std::vector<bool> m_isJoint; // one flag per span; empty: there are no joint ops
    std::vector<Sums> m_sums;    // m_sums[k]: sums over all spans before span k * kBlock
};
using BusyIndex = BusyIndexOf<Share, kShares>;
using KernelIndex = BusyIndexOf<std::uint8_t, kKernelShares>;

// The memory of a device over time, as steps, in bytes or, if no memory was recorded, in M_a. Each
// step has three levels: the base (weights, gradients, optimizer state, buffers), the base plus the
// device's own stash, and the total, which adds the stashes of a BPipe partner.
class MemorySeries
{
public:
    struct Level
    {
        double base = 0, own = 0, total = 0; // each includes the previous one
    };

    struct Change
    {
        double base = 0, stash = 0, guest = 0;
    };
    void add(std::int64_t time, Change change); // in time order
    void close();                               // call after the last add()

    bool isEmpty() const { return m_times.empty(); }
    std::span<const std::int64_t> times() const { return m_times; } // of the events
    // Queries columns with ascending starts and ends; each search starts at the previous result.
    // The series must outlive the sweep.
    class Sweep
    {
    public:
        explicit Sweep(const MemorySeries& series)
            : m_series(&series)
        { }
        // Maximum over [begin, end), including the level at `begin`.
        Level highest(double begin, double end);

    private:
        const MemorySeries* m_series;
        // The numbers of events up to the start and up to the end of the last query.
        std::size_t m_begun = 0, m_ended = 0;
    };

    Level at(double time) const; // level after all events up to `time`
    Level highest(double begin, double end) const { return Sweep(*this).highest(begin, end); }
    double peak() const { return m_peak; }
    // First time at which the total is highest.
    std::int64_t timeOfPeak(engine::Window window) const;

private:
    static constexpr std::size_t kBlock = 64;
    // The number of events up to `time`; `from` is a lower bound.
    std::size_t countUpTo(double time, std::size_t from = 0) const;

    std::vector<std::int64_t> m_times;
    std::vector<Level> m_levels; // m_levels[i]: level from m_times[i] on
    std::vector<Level> m_blocks; // m_blocks[k]: maximum over the kBlock levels from k * kBlock on
    double m_peak = 0;
};

// Whether the run allocated memory of a category.
using RecordedCategories
    = engine::EnumArray<engine::MemoryCategory, bool, engine::kMemoryCategories>;
RecordedCategories recordedCategories(const engine::Run& run);
engine::IdVector<engine::DeviceId, MemorySeries> recordedMemory(const engine::Run& run);
// Returns the stash of each device in M_a (the activations of one micro-batch on a device) from the
// compute spans. An activation counts from the start of its F to the end of its B, or of its W if
// the backward is split; at equal times frees come first.
engine::IdVector<engine::DeviceId, MemorySeries> stashFromSpans(const engine::Run& run);

// The kinds of ops that occur in a run; a legend lists only these.
struct Occurrence
{
    bool kinds[engine::kOpKinds] = {}; // optimizer steps only if they take time
    RecordedCategories memory = {};
    int chunks = 1;                      // largest number of chunks of a device in one direction
    bool isUp = false, usesHost = false; // evicts to the host
    std::int64_t longestExposed = 0;     // in ticks; 0: none
    std::int64_t longestMessage = 0;     // longest send, receive or all-reduce, in ticks
    std::int64_t longestOp = 0;          // longest compute op of a micro-batch, in ticks
    bool isJoint = false;                // has joint ops, which share the height of a box
    // Compute ops that start before an earlier op of their device has ended; joint ops, which share
    // a window, do not count.
    std::int64_t overlaps = 0;

    bool has(engine::OpKind kind) const { return kinds[static_cast<int>(kind)]; }
};

// The shortest compute op of a device, without optimizer steps, among those whose number, or whose
// name, has this many letters; 0: none. They decide which texts fit in all boxes of a lane.
struct TextLengths
{
    std::array<std::int64_t, 12> ofNumber{}, ofName{};
};

// The memory of a device of a run that has not ended, in bytes.
struct RunningMemory
{
    MemorySeries::Level live;            // at the end of the newest iteration
    std::optional<std::int64_t> touched; // nullopt until the first iteration is complete
    std::int64_t arena = 0;
    std::int64_t plan = 0;   // the most bytes that are live at once in the plan
    bool isOverPlan = false; // whether more bytes than `plan` have been live at once

    // Buffers have gaps between them, so touched bytes may exceed the plan, but not the arena.
    bool isOverArena() const { return touched > arena; }
};

// A run prepared for painting. The data for lanes, columns, hit tests and details is computed once;
// the data of a single iteration is computed when it is first used. Not thread-safe, except for the
// data that LanePicture paints: spans, shares, transfers, memory and ops.
class RunView
{
public:
    explicit RunView(std::shared_ptr<const engine::Run> run);

    const engine::Run& run() const { return *m_run; }
    const std::shared_ptr<const engine::Run>& shared() const { return m_run; }
    const engine::Timeline& timeline() const { return m_run->timeline; }
    // With BPipe, the device whose stashes this device accepts; nullopt if none.
    std::optional<engine::DeviceId> evictorOf(engine::DeviceId device) const
    {
        return m_evictors[device];
    }
    int devices() const { return m_run->schedule.shape.devices; }

    const engine::Op& op(std::uint32_t op) const { return opAt(m_run->schedule, m_index, op); }
    engine::DeviceId deviceOf(std::uint32_t op) const { return m_index.deviceOf(op); }
    // The index of the op's chunk among the chunks that its device has in the op's direction.
    int chunk(const engine::Op& op) const { return m_chunkOf[op.replica][op.stage]; }
    const TextLengths& textLengths(engine::DeviceId device) const
    {
        return m_devices[device].texts;
    }
    // Returns an empty span if the device has no such track.
    std::span<const engine::Span> spans(engine::DeviceId device, engine::Track::Kind kind) const
    {
        return lane(device, kind).spans();
    }
    // Returns all spans that touch the window and, if transfers overlap, possibly spans outside it.
    std::span<const engine::Span> spansAround(engine::DeviceId device, engine::Track::Kind kind,
                                              engine::Window window) const
    {
        return lane(device, kind).around(window);
    }
    std::size_t spansInSight(engine::Window window) const; // spans of all devices; an upper bound
    std::optional<engine::Span> spanOf(std::uint32_t op, int iteration) const;

    // Queries compute and exposed communication of a device at ascending instants, so that adjacent
    // columns share a query. The view must outlive the sweep.
    class SharesSweep
    {
    public:
        SharesSweep(const RunView& view, engine::DeviceId device);
        Busy before(double time);

    private:
        BusyIndex::Sweep m_compute;
        std::span<const engine::Window> m_exposed;
        std::span<const std::int64_t> m_exposedBefore;
        std::size_t m_begun = 0; // windows of exposed communication that have begun
    };
    // The mean of several devices.
    struct MeanSweep
    {
        std::vector<SharesSweep> devices;

        Busy before(double time);
    };
    // The busy time between `begin` and `end` by kind; the rest is bubble.
    Busy shares(engine::DeviceId device, double begin, double end) const;
    // Returns a sweep over the busy time of a transfer lane, as Share::Communication.
    BusyIndex::Sweep transfers(engine::DeviceId device, engine::Track::Kind kind) const
    {
        return BusyIndex::Sweep(lane(device, kind));
    }
    std::span<const engine::Window> exposed(engine::DeviceId device) const
    {
        return m_devices[device].exposed;
    }

    // False if neither bytes nor a stash are known.
    bool knowsMemory() const { return hasMemory() || engine::knowsMicroBatches(m_run->info); }
    // If false, memory() is in M_a.
    bool hasMemory() const { return !m_run->timeline.memory.empty(); }
    const MemorySeries& memory(engine::DeviceId device) const { return m_memory[device]; }
    double memoryScale() const { return m_memoryScale; } // the largest peak of any device
    // Returns nullopt if the run has ended, or if its memory or its plan is unknown.
    std::optional<RunningMemory> runningMemory(engine::DeviceId device) const;
    // The largest peak or arena of any device; 0 if no device has runningMemory().
    double runningMemoryScale() const;

    const engine::Iteration& iteration(int index) const
    {
        return timeline().iterations[static_cast<std::size_t>(index)];
    }
    int iterationAt(std::integral auto time) const
    {
        return iterationAt(static_cast<double>(time));
    }
    int iterationAt(double time) const; // the iteration nearest to `time`; -1: no iterations
    engine::Window extent() const;      // window of all iterations, including the Replay
    const Occurrence& occurs() const { return m_occurs; }
    bool isEmpty() const { return m_run->timeline.iterations.empty(); }

    const profiler::RunMetrics* metrics(int iteration) const; // nullptr if unknown
    const std::vector<profiler::Bubble>& bubbles(int iteration) const;
    // The chain of causes of a bubble of the iteration; its origin comes first.
    std::vector<profiler::CauseStep> causes(int iteration, const profiler::Bubble& bubble) const;
    std::optional<profiler::OpExplanation> explain(int iteration, std::uint32_t op) const;
    const std::vector<profiler::CauseLink>& path(const Flow& flow) const; // sorted by time
    // The paths of all micro-batches.
    const std::vector<std::vector<profiler::CauseLink>>& paths(int iteration) const;
    // nullptr if the selection is no bubble, as for exposed communication.
    const profiler::Bubble* bubble(const Selection& selection) const;

private:
    struct Device
    {
        BusyIndex lanes[5]; // index by Track::Kind
        TextLengths texts;
        std::vector<engine::Window> exposed;
        // exposedBefore[k]: sum of the windows before window k
        std::vector<std::int64_t> exposedBefore;
    };
    const BusyIndex& lane(engine::DeviceId device, engine::Track::Kind kind) const
    {
        return m_devices[device].lanes[static_cast<std::size_t>(kind)];
    }
    void indexOps();
    void indexLanes();
    void indexTimes(const engine::Track& track);
    void indexTexts(const engine::Track& track);
    void indexExposed();

    std::shared_ptr<const engine::Run> m_run;
    engine::OpIndex m_index;
    std::vector<Share> m_shares;                                   // one per op
    std::vector<engine::IdVector<engine::StageId, int>> m_chunkOf; // by replica and stage
    engine::IdVector<engine::DeviceId, Device> m_devices;
    engine::IdVector<engine::DeviceId, std::optional<engine::DeviceId>> m_evictors;
    Occurrence m_occurs;
    engine::IdVector<engine::DeviceId, MemorySeries> m_memory;
    double m_memoryScale = 0;
    mutable std::map<int, std::optional<profiler::RunMetrics>> m_metrics;
    // Kept for one iteration at a time, to limit the memory of long runs.
    struct Explained
    {
        int iteration = -1;
        std::unique_ptr<profiler::Explainer> explainer;
        std::optional<std::vector<profiler::Bubble>> bubbles;
        Flow flow;
        std::vector<profiler::CauseLink> path;
        // Indexed by micro-batch; empty if not computed yet.
        std::vector<std::vector<profiler::CauseLink>> all;
    };
    Explained& explained(int iteration) const;
    mutable Explained m_explained;
};
using RunViewPointer = std::shared_ptr<const RunView>; // shared by all views of one run

// Prepares runs for painting (RunView). Small runs are ready before ask() returns; others are
// prepared in the thread pool. Delivers only the result of the newest request. Reuses the views of
// the previous result. GUI thread only.
class ViewPreparation : public QObject
{
    Q_OBJECT

public:
    // Runs up to this size are prepared before ask() returns. This takes about 8 ms; ten million
    // spans take 0.8 s.
    static constexpr std::size_t kInstantSpans = 100'000;

    explicit ViewPreparation(QObject* parent = nullptr);

    void ask(std::vector<RunPointer> runs); // no pointer may be null
    bool isBusy() const { return m_preparing.isBusy(); }

Q_SIGNALS:
    void ready(const std::vector<app::RunViewPointer>& views); // in the order of the runs

private:
    using Views = std::vector<RunViewPointer>;
    Views m_last;
    Latest<std::pair<std::vector<RunPointer>, Views>, Views> m_preparing; // runs and views to reuse
};

} // namespace app
