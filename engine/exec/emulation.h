#pragma once

#include "engine/exec/execution_order.h"
#include "engine/exec/op_costs.h"
#include "engine/exec/op_timing.h"
#include "engine/exec/pipeline_runner.h"
#include "engine/timeline/run.h"

#include <atomic>

namespace engine {

// Emulate mode: D devices on one thread. The order of an iteration is fixed before it starts; each
// op runs alone and is timed; then the iteration is placed with the measured durations by the
// placer that simulation uses.
class Emulation
{
public:
    struct Setup
    {
        PipelineRunner::Setup runner;
        LinkCost link;
    };
    // `run.schedule` is what runs; results are appended to `run.timeline`. What is referred to must
    // outlive it.
    Emulation(const Setup& setup, Run& run);

    // Called between ops, never while one is timed; `done` of `ops` of this iteration.
    using Progress = std::function<void(std::size_t done, std::size_t ops)>;
    // Trains and places one iteration. Cancelled leaves the timeline as it was, and the replay of
    // what was measured before can still be placed; nothing else.
    Result<void> iterate(Iteration iteration, TokenBatches& tokens, const Progress& progress,
                         const std::atomic<bool>& cancel);
    // Places every op's median over the measured iterations, once. At least one was measured.
    Result<void> placeReplay();

    std::span<const OpTiming> timings() const { return m_timings; } // of the last iteration
    int measured() const { return static_cast<int>(m_measured.size()); }
    PipelineRunner& runner() { return m_runner; }

private:
    bool runOps(const std::vector<OpRef>& order, const Progress& progress,
                const std::atomic<bool>& cancel);
    OpTiming timed(OpRef ref);
    std::int64_t& duration(OpRef ref);
    Result<void> place(const OpCosts& costs, Iteration iteration);

    Setup m_setup;
    Run& m_run;
    PipelineRunner m_runner;
    OpCosts m_costs; // of the iteration before; estimated before the first
    std::vector<OpTiming> m_timings;
    MemoryLog m_memory; // of the last whole iteration: the replay's, also after a cancelled one
    std::vector<std::vector<std::int64_t>> m_measured; // [iteration][OpIndex], ns
};

} // namespace engine
