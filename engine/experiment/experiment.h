#pragma once

#include "engine/backend/device_placement.h"
#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/experiment/accumulate.h"
#include "engine/experiment/graphs.h"
#include "engine/experiment/trace.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <string>
#include <string_view>

namespace engine {

enum class Backend : std::uint8_t { Cpu, Cuda }; // what ops run on: the CPU, or GPUs
constexpr const char* backendName(Backend backend)
{
    return backend == Backend::Cuda ? "cuda" : "cpu";
}

// Everything that decides a run, with the defaults of `bscope run`. experiment_fields.h describes
// each member.
struct Experiment
{
    ScheduleRequest schedule;
    std::string scheduleFile; // --schedule FILE instead of a scheme; "" for a scheme
    ModelSpec model;
    std::string modelFile; // that `model` was read from; "" for a preset
    Mode mode = Mode::Emulate;
    Backend backend = Backend::Cpu;
    int iterations = 5, warmup = 2;
    std::uint64_t seed = 1;
    Accumulate accumulate = Accumulate::Float;
    SyncPolicy sync = SyncPolicy::Eager;
    std::string textFile; // "": the built-in language, "sample": a short story
    LinkCost link;        // of the placement; free by default, labelled "assumed"
    Graphs graphs = Graphs::Auto;
    Carrier transport = Carrier::Auto;
    Trace trace = Trace::Auto;
    Bytes deviceMemory = 0; // of one device; 0: only the machine is a limit

    friend bool operator==(const Experiment&, const Experiment&) = default;
};

std::string toToml(const Experiment& experiment); // experimentFromToml() is its inverse
Result<Experiment> experimentFromToml(std::string_view text);

} // namespace engine
