#pragma once

#include "engine/base/result.h"
#include "engine/exec/launch_hooks.h"
#include "engine/experiment/experiment.h"
#include "engine/pipeline/run_devices.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace engine {

// The progress of an iteration. `devices` is empty if the schedule is a stream, because its windows
// overlap.
struct OpsDone
{
    int iteration = 0;
    std::size_t done = 0, ops = 0;      // ops of all devices of all pipelines
    std::vector<std::uint32_t> devices; // [device] ops passed; of the first pipeline only
};

// Called on the executing thread, between ops and between iterations, never while an op is timed.
struct RunObserver
{
    // Called after planning, before any op runs. `run` has the info (without results) and the
    // lowered schedule.
    std::function<Result<void>(const Run& run)> started = [](const Run&) { return Result<void>(); };
    // Called within an iteration, usually at most 50 times per second.
    std::function<void(const OpsDone& at)> progress = [](const OpsDone&) {};
    // Called with the measured op times of an iteration, before iteration() is called for it.
    std::function<void(std::span<const OpTiming> timings)> timed = [](std::span<const OpTiming>) {};
    // Called after an iteration was placed. The last spans of run.timeline, and its memory events
    // from `firstMemory` on, belong to the iteration. From the first call on, run.info.arenas has
    // the touched bytes.
    std::function<Result<void>(const Run& run, std::size_t firstMemory)> iteration
        = [](const Run&, std::size_t) { return Result<void>(); };
    LaunchHooks launches = {}; // only for GPUs; in live mode called on the device threads
    // Called with a warning, for example the reason why the run is emulated instead.
    std::function<void(const std::string& sentence)> warned = [](const std::string&) {};
    // Called when the run has ended, also if it was cancelled or a device failed. `info` has the
    // results that are known only at the end (arenas, interference, memory).
    std::function<void(const RunInfo& info)> ended = [](const RunInfo&) {};
};

// Trains an experiment and returns the recorded run, whose last iteration is that of typical ops.
// Fails with Error::Code::Cancelled if the run was cancelled; the observer has received all
// complete iterations. Other errors come from the input (model, schedule, text file) or the machine
// (memory). After an error, call devicesAreLost() (run_devices.h).
Result<Run> runExperiment(const Experiment& experiment, const RunObserver& observer,
                          const std::atomic<bool>& cancel);

// Opens `count` devices, for all data-parallel pipelines together.
using OpenDevices = std::function<Result<RunDevices>(int count)>;

// Like runExperiment(), but on devices that the caller opens. For tests that do not use this
// machine's devices.
Result<Run> runOnDevices(const Experiment& experiment, const OpenDevices& open,
                         const RunObserver& observer, const std::atomic<bool>& cancel);

} // namespace engine
