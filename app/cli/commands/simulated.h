#pragma once

#include "engine/cost/model_prices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/link_loads.h"
#include "profiler/analysis/metrics.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// A simulated run and its metrics. If no spans were kept, the timeline has only iterations, and the
// schedule has no transfers.
struct Simulated
{
    engine::Run run;
    profiler::RunMetrics metrics;
    bool hasSpans = true;
    std::string mapping; // "contiguous on 4 nodes, 2 slots per node"; "" for one node
    std::optional<double> deviceMemory; // memory of a device in bytes; nullopt without a model
    // The loads of links; nullopt without --model and --hardware, or if no spans were kept.
    std::optional<profiler::LinkLoads> loads;
};

// The costs of a simulation: assumed costs in cost units, costs of a model on hardware (in ns, with
// memory), or costs of a recorded run (in ticks of that run). The timing rules are always those of
// `units`.
struct SimulationCosts
{
    engine::UnitCosts units;
    std::optional<engine::ModelOnHardware> model;
    struct Recorded
    {
        std::shared_ptr<const engine::Run> run;
        // Share of the input gradient (I) in the time of a backward; see calibrate.h.
        std::optional<engine::Fraction> inputShare;
    };
    std::optional<Recorded> recorded;
    double recomputeKeeps = 0; // see RunInfo; used only if the schedule has recompute ops
};

struct SimulationRequest
{
    SimulationCosts costs;
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    int iterations = 1;
    // Whether to keep spans for a picture or a file. If false, spans are kept only for a stream of
    // windows (asynchronous schemes), or if communication takes time and the spans fit in memory.
    bool needsSpans = true;
    std::string mapping{engine::kDefaultMapping}; // see ScheduleRequest::mapping
};

// Simulates a schedule. Sets only ticksPerUnit and recomputeKeeps of the run info; the caller sets
// the rest. Takes the schedule by value, because it may be large and is moved.
engine::Result<Simulated> simulated(engine::Schedule schedule, const SimulationRequest& request);

// Like `bscope simulate ARGUMENTS` with one scheme, but without output. Thread-safe. Fails with
// Error::Code::Unsupported if an option is unknown or has an invalid value.
engine::Result<Simulated> simulateArguments(const std::vector<std::string>& arguments);

// Returns text about one simulated run, or a table with a row per run if there are several.
std::string simulatedText(const std::vector<Simulated>& all);
// Returns one JSON object, or a list of objects if there are several runs.
std::string simulatedJson(const std::vector<Simulated>& all);

} // namespace cli
