#pragma once

#include "engine/backend/device_placement.h"
#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/exec/accumulate.h"
#include "engine/exec/graphs.h"
#include "engine/exec/launch_hooks.h"
#include "engine/exec/lost_devices.h"
#include "engine/exec/op_timing.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace engine {

enum class Backend : std::uint8_t { Cpu, Cuda }; // what ops run on: the CPU, or GPUs
constexpr const char* backendName(Backend backend)
{
    return backend == Backend::Cuda ? "cuda" : "cpu";
}

// Everything that decides a run; the toml of `bscope experiment` and of every stored run.
struct Experiment
{
    ScheduleRequest schedule;
    std::string scheduleFile; // --schedule FILE instead of a scheme; "" for a scheme
    ModelSpec model;
    Mode mode = Mode::Emulate;
    Backend backend = Backend::Cpu;
    int iterations = 5, warmup = 2;
    std::uint64_t seed = 1;
    Accumulate accumulate = Accumulate::Float;
    SyncPolicy sync = SyncPolicy::Eager;
    std::string textFile;              // "" : the built-in language
    LinkCost link;                     // of the placement; free by default, labelled "assumed"
    Graphs graphs = Graphs::Auto;      // on GPUs
    Carrier transport = Carrier::Auto; // between GPUs that run live
    Bytes deviceMemory = 0;            // what one device may hold; 0: only the machine is a limit

    friend bool operator==(const Experiment&, const Experiment&) = default;
};

std::string toToml(const Experiment& experiment); // experimentFromToml() is its inverse
Result<Experiment> experimentFromToml(std::string_view text);

// Told from the executing thread, between ops and between iterations, never while an op is timed.
struct RunObserver
{
    // After the plan stands and before anything runs: info (without results) and the lowered
    // schedule.
    std::function<Result<void>(const Run& run)> started = [](const Run&) { return Result<void>(); };
    // Ops done of the current iteration; at most about 20 times a second.
    std::function<void(int iteration, std::size_t opsDone, std::size_t ops)> progress
        = [](int, std::size_t, std::size_t) {};
    // What was measured in an iteration that trained, just before iteration() tells of its placing.
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
