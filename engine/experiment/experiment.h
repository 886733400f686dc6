#pragma once

#include "engine/backend/device_placement.h"
#include "engine/base/memory_capacity.h"
#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/experiment/run_options.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/nvtx_range.h"
#include "engine/timeline/run.h"

#include <string>
#include <string_view>

namespace engine {

enum class Backend : std::uint8_t { Cpu, Cuda }; // the hardware that runs the ops
constexpr const char* backendName(Backend backend)
{
    return backend == Backend::Cuda ? "cuda" : "cpu";
}

// Everything that determines a run, with the defaults of `bscope run`. experiment_fields.h
// describes each member.
struct Experiment
{
    ScheduleRequest schedule;
    std::string scheduleFile; // --schedule FILE; "": schedule.scheme is used
    ModelSpec model;
    std::string modelFile; // file of `model`; "" for a preset
    Mode mode = Mode::Emulate;
    Backend backend = Backend::Cpu;
    int iterations = 5, warmup = 2;
    std::string session; // see RunRequest; not part of the file
    int rounds = 0;
    std::uint64_t seed = 1;
    Accumulate accumulate = Accumulate::Float;
    SyncPolicy sync = SyncPolicy::Eager;
    std::string textFile;   // "": the built-in language; "sample": the included story
    LinkCost link;          // link model of an emulated run; free by default, labelled "assumed"
    int devicesPerNode = 0; // devices per node of an emulated run; 0: all devices are in one node
    LinkCost linkAcross;    // link model between nodes; 0: like `link`
    LinkCost linkToHost;    // from a device of an emulated run to host memory, for --offload
    ReceiveRule receive = ReceiveRule::Eager; // of an emulated run
    Graphs graphs = Graphs::Auto;
    TransportChoice transport = TransportChoice::Auto;
    Trace trace = Trace::Auto;
    NvtxGrammar nvtxGrammar = NvtxGrammar::Bubblescope;
    Bytes deviceMemory = 0; // memory of a device; 0: only the machine's memory
    double reserve = MemoryCapacity::kDefaultReserve; // in percent of `deviceMemory`

    MemoryCapacity memory() const { return {deviceMemory, reserve}; }
    friend bool operator==(const Experiment&, const Experiment&) = default;
};

std::string toToml(const Experiment& experiment); // experimentFromToml() is the inverse
Result<Experiment> experimentFromToml(std::string_view text);

} // namespace engine
