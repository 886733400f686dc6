#pragma once

#include "engine/base/field.h"
#include "engine/cost/model_prices.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <memory>
#include <optional>
#include <string>

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
    engine::TrainingSetup setup; // used for Kind::Hardware
    std::string file;            // of the recorded run
    std::shared_ptr<const engine::Run> run;
    // Share of the input gradient (I) in the time of B, for a run that has only B.
    std::optional<engine::Fraction> inputShare;

    bool isUnits() const { return kind == Kind::Units; }
    friend bool operator==(const CostSource&, const CostSource&) = default;
};

// The options --model, --hardware, --layers, --network, --calibrate and --split-backward. Setting
// one but the last also sets the kind. The fields of CostSource::setup are trainingSetupFields().
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
    std::optional<engine::EvictPolicy> evict = {}; // policy of BPipe's evicts; nullopt: none
    CostSource source = {};

    // Whether both requests have the same order of ops, so that at most the costs differ.
    bool hasSameOrder(const PredictionRequest& other) const;
    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

// Returns the part of `costs` that has an effect with `source`. Costs in units use all of `costs`;
// the other sources use only the timing rules. A recorded run also uses the devices per node, but
// no interference of joint ops, because the recorded times already include it.
engine::UnitCosts applicableCosts(const CostSource& source, const engine::UnitCosts& costs);

// Returns `request` with as many chunks as `stages` stages need; unchanged if the scheme does not
// support that number.
engine::ScheduleRequest withStages(engine::ScheduleRequest request, int stages);

// Adds evicts and loads, and recompute ops unless the schedule has them.
engine::Result<engine::Schedule> withPasses(engine::Schedule schedule,
                                            const std::optional<engine::EvictPolicy>& evict,
                                            engine::Recompute recompute);
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

} // namespace profiler
