#pragma once

#include "engine/pipeline/pipeline.h"
#include "engine/timeline/op_timing.h"
#include "engine/timeline/run.h"

#include <atomic>

namespace engine {

// Trains a pipeline iteration by iteration and puts each on the timeline of a run.
class Executor
{
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    // Called between ops, never while one is timed; `done` of `ops` of this iteration.
    using Progress = std::function<void(std::size_t done, std::size_t ops)>;
    // Trains and places one iteration. Cancelled, and an error of the machine, leave the timeline
    // as it was; then only finish() may follow.
    virtual Result<void> iterate(Iteration iteration, TokenBatches& tokens,
                                 const Progress& progress, const std::atomic<bool>& cancel)
        = 0;
    // What the mode adds to the timeline once at least one iteration was measured.
    virtual Result<void> finish() { return {}; }

    virtual std::span<const OpTiming> timings() const = 0; // of the last iteration
    // What was learned of the machine over all iterations.
    virtual void addTo(RunInfo& /*info*/) const { }
    virtual Pipeline& pipeline() = 0;
    // A GPU does not end what it was given. Then nothing of this can be destroyed, since that would
    // wait for it; the threads that are left go on using it until the process ends.
    virtual bool devicesAreLost() const { return false; }
    virtual std::size_t threads() const { return 1; } // that compute or copy
};

// What every device holds for the whole run, as the first events of the timeline.
void appendFixedMemory(const ExecutionPlan& plan, Timeline& timeline);

} // namespace engine
