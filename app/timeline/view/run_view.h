#pragma once

#include "app/timeline/view/busy_index.h"
#include "app/timeline/view/memory_series.h"
#include "app/timeline/view/selection.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace app {

// The kinds of ops that occur in a run; a legend lists only these.
struct Occurrence
{
    bool kinds[engine::kOpKinds] = {}; // optimizer steps only if they take time
    RecordedCategories memory = {};
    int chunks = 1; // largest number of chunks of a device in one direction
    bool isUp = false;
    std::int64_t longestExposed = 0; // in ticks; 0: none
    std::int64_t longestMessage = 0; // longest send, receive or all-reduce, in ticks
    std::int64_t longestOp = 0;      // longest compute op of a micro-batch, in ticks
    bool isJoint = false;            // has joint ops, which share the height of a box
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

    const engine::Op& op(std::uint32_t op) const;
    engine::DeviceId deviceOf(std::uint32_t op) const { return m_index.deviceOf(op); }
    // The index of the op's chunk among the chunks that its device has in the op's direction.
    int chunk(const engine::Op& op) const;
    const TextLengths& textLengths(engine::DeviceId device) const
    {
        return m_devices[device].texts;
    }
    // Returns an empty span if the device has no such track.
    std::span<const engine::Span> spans(engine::DeviceId device, engine::Track::Kind kind) const;
    // Returns all spans that touch the window and, if transfers overlap, possibly spans outside it.
    std::span<const engine::Span> spansAround(engine::DeviceId device, engine::Track::Kind kind,
                                              engine::Window window) const;
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
    std::span<const engine::Window> exposed(engine::DeviceId device) const;

    // False if neither bytes nor a stash are known.
    bool knowsMemory() const { return hasMemory() || engine::knowsMicroBatches(m_run->info); }
    // If false, memory() is in M_a.
    bool hasMemory() const { return !m_run->timeline.memory.empty(); }
    const MemorySeries& memory(engine::DeviceId device) const;
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
    const BusyIndex& lane(engine::DeviceId device, engine::Track::Kind kind) const;
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

} // namespace app
