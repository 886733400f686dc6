#pragma once

#include "engine/base/result.h"
#include "engine/exec/launch_hooks.h"
#include "engine/experiment/experiment.h"
#include "engine/pipeline/lost_devices.h"
#include "engine/timeline/op_timing.h"
#include "engine/timeline/run.h"

#include <atomic>
#include <functional>
#include <span>
#include <string>

namespace engine {

// Called on the executing thread, between ops and between iterations, never while an op is timed.
struct RunObserver
{
    // After the plan stands and before anything runs: info (without results) and the lowered
    // schedule.
    std::function<Result<void>(const Run& run)> started = [](const Run&) { return Result<void>(); };
    // Ops done of the current iteration; at most about 20 times a second.
    std::function<void(int iteration, std::size_t opsDone, std::size_t ops)> progress
        = [](int, std::size_t, std::size_t) {};
    // What was measured in an iteration that trained, just before iteration().
    std::function<void(std::span<const OpTiming> timings)> timed = [](std::span<const OpTiming>) {};
    // An iteration was placed: its spans and memory events are at the end of run.timeline.
    std::function<Result<void>(const Run& run, std::size_t firstMemory)> iteration
        = [](const Run&, std::size_t) { return Result<void>(); };
    LaunchHooks launches = {}; // where a GPU computes; live, on the threads of the devices
    // Something is not as it was asked for, and the run goes on: one sentence.
    std::function<void(const std::string& sentence)> warned = [](const std::string&) {};
    // Nothing runs any more: what is known only now (arenas, interference, memory); also after
    // Cancelled and an error of the machine.
    std::function<void(const RunInfo& info)> ended = [](const RunInfo&) {};
};

// Trains and records. Returns the whole run, its median replay last. Cancelled keeps whole
// iterations: the run so far went through the observer. Errors are of the input (model, schedule,
// text file) or the machine (memory). After an error ask devicesAreLost() (lost_devices.h).
Result<Run> runExperiment(const Experiment& experiment, const RunObserver& observer,
                          const std::atomic<bool>& cancel);

} // namespace engine
