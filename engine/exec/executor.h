#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/exec/launch_hooks.h"
#include "engine/exec/op_costs.h"
#include "engine/pipeline/pipeline.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <atomic>
#include <chrono>

namespace engine {

// Trains a pipeline one iteration at a time and appends each to the timeline of a run.
class Executor
{
public:
    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    // Called between ops, never while an op is timed. `done` of the `ops` of this iteration are
    // complete.
    using Progress = std::function<void(std::size_t done, std::size_t ops)>;
    // Trains and places one iteration, or the whole stream (Shape::windows > 1), of which
    // `measuredWindows` windows are measured. If the call is cancelled or a device fails, the
    // timeline gets no iteration and only finish() may be called afterwards.
    virtual Result<void> iterate(Iteration iteration, TokenBatches& tokens,
                                 const Progress& progress, const std::atomic<bool>& cancel)
        = 0;
    int measuredWindows = 1; // number of measured windows of a stream
    // [device] ops of the first pipeline that have passed in this iteration. Only within Progress.
    virtual std::vector<std::uint32_t> positions() const = 0;
    virtual Result<void> finish() { return {}; } // completes the timeline

    virtual std::span<const OpTiming> timings() const = 0; // timings of the last iteration
    // Adds the results that cover all iterations: graphs, CPU share, interference.
    virtual void addTo(RunInfo& /*info*/) const { }
    virtual Pipeline& pipeline() = 0;
    // Whether a GPU no longer responds. The executor must then not be destroyed: the destructor
    // would wait forever for threads that use the GPU.
    virtual bool devicesAreLost() const { return false; }
    virtual std::size_t threads() const { return 1; } // number of threads that compute or copy
};

// Appends the memory that every device holds for the whole run; these must be the first events of
// the timeline.
void appendFixedMemory(const ExecutionPlan& plan, Timeline& timeline);

// If the schedule is a stream, replaces the last iteration by one iteration per window, and assigns
// each of `timings` to its window.
void divideStream(const Schedule& lowered, int measured, Timeline& timeline,
                  std::vector<OpTiming>& timings);

struct ExecutorSetup
{
    Pipeline::Setup pipeline;
    Mode mode = Mode::Emulate; // Emulate or Live
    EmulatedLinks links = {};  // for emulation
    TimingRules rules = {};    // for emulation; in live mode only blockingAllReduce
    LaunchHooks hooks = {};    // for GPUs; called on the threads that execute the ops
    // If no op makes progress for this long while all threads wait and no GPU computes, the run
    // ends with an error. An op on a GPU may take longer (patience.h).
    std::chrono::nanoseconds patience = std::chrono::seconds(5);
};
// Makes an executor that runs `run.schedule` and appends to `run.timeline`. `run` and all objects
// that `setup` refers to must outlive it. Throws std::bad_alloc.
std::unique_ptr<Executor> makeExecutor(const ExecutorSetup& setup, Run& run);

// The order in which the simulator starts the ops with `costs`. Each op follows its inputs, and the
// evicts and loads of a device are in program order.
Result<std::vector<OpRef>> executionOrder(const Schedule& lowered, const OpCosts& costs);

} // namespace engine
