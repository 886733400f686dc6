#pragma once

#include "engine/base/field.h"
#include "engine/base/units.h"
#include "engine/cost/model_prices.h"
#include "engine/experiment/experiment.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/link_loads.h"
#include "profiler/analysis/metrics.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

// The source of the costs of a prediction: assumed costs in cost units, a model on hardware (closed
// forms), or the measured times of a recorded run.
struct CostSource
{
    enum class Kind : int { Units, Hardware, Recorded };

    Kind kind = Kind::Units;
    std::string model = "gpt3-96b", hardware = "a100-sxm-80"; // presets, or .toml files
    int layers = 0;     // in place of those of the model; 0: those of the model
    double network = 0; // GB/s between nodes in place of those of the hardware; 0: of the hardware
    engine::Bytes deviceMemory = 0; // in place of that of the hardware; 0: of the hardware
    engine::TrainingSetup setup;    // used for Kind::Hardware
    std::string file;               // of the recorded run
    std::shared_ptr<const engine::Run> run;
    // Share of the input gradient (I) in the time of B, for a run that has only B.
    std::optional<engine::Fraction> inputShare;

    bool isUnits() const { return kind == Kind::Units; }
    friend bool operator==(const CostSource&, const CostSource&) = default;
};

// The options --model, --hardware, --layers, --network, --device-memory, --calibrate and
// --split-backward. Setting one but the last also sets the kind. The fields of CostSource::setup
// are trainingSetupFields().
engine::Fields<CostSource> costSourceFields();

// What `bscope simulate` and the window ask: which schedule, and at which costs. We keep the names
// of files instead of their contents, so that requests can be compared, stored and printed.
struct PredictionRequest
{
    engine::ScheduleRequest schedule;
    std::string scheduleFile = {}; // if set, the order is read from this file and not built
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    engine::UnitCosts costs = {}; // other sources use only a part: applicableCosts()
    engine::Recompute recompute = engine::Recompute::None;
    std::optional<engine::Fraction> recomputeAhead = {}, offload = {}; // see ModelSpec
    std::optional<engine::Fraction> recomputeKeeps = {}; // see RunInfo; nullopt: of the model
    std::optional<engine::EvictPolicy> evict = {};       // policy of BPipe's evicts; nullopt: none
    CostSource source = {};

    // Whether both requests have the same order of ops, so that at most the costs differ.
    bool hasSameOrder(const PredictionRequest& other) const;
    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

// The options of `bscope simulate` for a request, without those at their defaults or at the value
// of the preset. Simulated runs store them, so a default that was given is no difference.
std::vector<std::string> argumentsOf(const PredictionRequest& request);
std::vector<std::string> timingArguments(const PredictionRequest& request); // without the order
std::vector<std::string> costArguments(const PredictionRequest& request);   // nor passes and copies

// Returns the part of `costs` that has an effect with `source`. Costs in units use all of `costs`;
// the other sources use only the timing rules. A recorded run also uses the devices per node, but
// no interference of joint ops, because the recorded times already include it.
engine::UnitCosts applicableCosts(const CostSource& source, const engine::UnitCosts& costs);

// Returns `request` with as many chunks as `stages` stages need; unchanged if the scheme does not
// support that number.
engine::ScheduleRequest withStages(engine::ScheduleRequest request, int stages);

// Adds the evicts, loads and recompute ops of `request`, unless the schedule has them, and moves
// recompute ops ahead by its costs.
engine::Result<engine::Schedule> withPasses(engine::Schedule schedule,
                                            const PredictionRequest& request);
// Builds or reads the requested order and applies its passes, but does not lower it.
engine::Result<engine::Schedule> orderOf(const PredictionRequest& request);

// Loads the model and the hardware of `source`. Fails with Error::Code::InvalidArgument or
// NotFound; the message names the preset or the file.
engine::Result<engine::ModelOnHardware> modelOnHardware(const CostSource& source);

// The costs of a request, whose files have been read. The default is F 1, B 2 and free links.
struct PredictionCosts
{
    engine::UnitCosts units; // applicableCosts()
    std::optional<engine::ModelOnHardware> model;
    CostSource recorded = {};  // Kind::Recorded: the costs are those of its run
    double recomputeKeeps = 0; // see RunInfo; used only if the schedule has recompute ops
};
// Fails as modelOnHardware() and checkUnitCosts() do, and if no recorded run was read.
engine::Result<PredictionCosts> costsOf(const PredictionRequest& request);

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

    // The time of an iteration in cost units or ns.
    double length() const { return engine::ratio(metrics.duration, run.info.ticksPerUnit); }
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
