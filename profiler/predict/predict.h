#pragma once

#include "engine/experiment/experiment.h"
#include "engine/schedule/check/validate.h"
#include "profiler/analysis/link_loads.h"
#include "profiler/analysis/metrics.h"
#include "profiler/predict/request.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

// Predicts a run by simulating its schedule. `bscope simulate`, studies, the set-up, mapping and
// cluster pages, the estimator and the published numbers all come here, so that the same request
// gives the same numbers everywhere.

// The name of a scheme for display: "1F1B". Returns `scheme` if it is unknown.
std::string labelOf(const std::string& scheme);

struct PredictOptions
{
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    std::string mapping{engine::kDefaultMapping}; // a name or a file
    int iterations = 1;
    // If false, spans are kept only for a stream of windows (asynchronous schemes), or if
    // communication takes time and the spans fit in memory.
    bool needsSpans = true;
    bool needsLoads = true; // false: `loads` of the result is not computed
};

// A simulated run. If no spans were kept, the timeline has only iterations, and the schedule has no
// transfers. RunInfo says what the costs rest on: model, device, link, timing and mapping.
struct PredictedRun
{
    engine::Run run;
    RunMetrics metrics;
    bool hasSpans = true;
    std::string mapping;            // "contiguous on 4 nodes, 2 slots per node"; "" for one node
    std::optional<LinkLoads> loads; // nullopt without a model, or if no spans were kept
};

// Simulates a schedule, and lowers it first unless only its sums are needed. Takes the schedule by
// value, because it may be large and is moved. Fails if the schedule deadlocks, or if the costs do
// not cover its ops.
engine::Result<PredictedRun> predict(engine::Schedule order, const PredictionCosts& costs,
                                     const PredictOptions& options = {});
// The same for a schedule that is already lowered; keeps the spans.
engine::Result<PredictedRun> predictLowered(engine::Schedule lowered, const PredictionCosts& costs,
                                            const PredictOptions& options = {});

// The cost of every op of a lowered schedule, from any source of costs.
engine::Result<engine::OpCosts> opCosts(const engine::Schedule& lowered,
                                        const PredictionCosts& costs,
                                        const PredictOptions& options = {});

// A schedule that was built, checked and lowered. This part of a prediction takes much of the time
// and does not depend on costs, so it is kept while the user moves a cost slider.
struct PreparedSchedule
{
    engine::Schedule lowered; // empty if there are violations
    std::vector<engine::Violation> violations;
    std::size_t computeOps = 0;
    std::string label;
};
// Checks and lowers a schedule of compute ops.
PreparedSchedule preparedSchedule(const engine::Schedule& order, std::string label,
                                  engine::SyncPolicy sync);
engine::Result<PreparedSchedule> preparedSchedule(const PredictionRequest& request);

// Returns a run's schedule with F 1, B 2 and free links, as papers draw it.
engine::Result<engine::Run> schematic(const engine::Run& run);
// The same for the schedule of an experiment that was not run.
engine::Result<engine::Run> schematic(const engine::Experiment& experiment);

} // namespace profiler
