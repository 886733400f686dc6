#pragma once

#include "engine/cost/model_prices.h"
#include "engine/schedule/passes/passes.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

#include <memory>
#include <optional>

namespace cli {

// A simulated run and its numbers. Without spans the timeline has iterations only, and the schedule
// no transfers.
struct Simulated
{
    engine::Run run;
    profiler::RunMetrics metrics;
    bool hasSpans = true;
};

// In units, or of a model on hardware; then in nanoseconds and with memory. Or as a run recorded
// them, in its own ticks. The rules are those of `units` always.
struct SimulationCosts
{
    engine::UnitCosts units;
    std::optional<engine::ModelOnHardware> model;
    struct Recorded
    {
        std::shared_ptr<const engine::Run> run;
        std::optional<engine::Fraction> inputShare; // of a backward (calibrate.h)
    };
    std::optional<Recorded> recorded;
    double recomputeKeeps = 0; // RunInfo's, where ops recompute
};

struct SimulationRequest
{
    SimulationCosts costs;
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    int iterations = 1;
    bool needsSpans = true; // for a picture or a file; without, they are kept only where a number
                            // cannot be told otherwise and they fit
};

// The run's info is the caller's, but for ticksPerUnit. Takes the schedule, which may be large.
engine::Result<Simulated> simulated(engine::Schedule schedule, const SimulationRequest& request);

} // namespace cli
