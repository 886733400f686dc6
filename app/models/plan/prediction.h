#pragma once

#include "app/models/plan/closed_form.h"
#include "app/models/plan/cost_source.h"
#include "app/models/thumbnail.h"
#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/metrics.h"

#include <QString>

#include <memory>

namespace app {

// A schedule as the set-up page and the editor show it: checked, and simulated.
struct Prediction
{
    std::shared_ptr<const engine::Run> run; // null: not valid, or only the summary was kept
    engine::RunInfo info;                   // the run's
    profiler::RunMetrics metrics;
    std::vector<engine::Violation> violations; // empty: complete, in order, no deadlock
    std::size_t computeOps = 0;
    Thumbnail thumbnail;
    ClosedForm bubbleForm;         // of the scheme, with these numbers; empty where it states none
    bool isUsual = true;           // the costs with which closed forms are stated
    std::int64_t deviceMemory = 0; // bytes of the hardware that the costs are of; 0: not known

    bool isValid() const { return violations.empty(); }
};

struct PredictionRequest
{
    engine::ScheduleRequest schedule;
    std::string scheduleFile = {}; // its order, in place of the scheme's
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    engine::UnitCosts costs = {}; // beside another source only what countingBeside() leaves
    engine::Recompute recompute = engine::Recompute::None;
    std::optional<engine::EvictPolicy> evict
        = {}; // stashes shared by pairs of devices, as BPipe does

    CostSource source = {};

    bool isUsual() const; // closed forms hold
    // All that a built schedule depends on, or only what it costs, is the same.
    bool hasSameOrder(const PredictionRequest& other) const;
    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

// The order that is asked for: built, with its passes, without what lower() adds.
engine::Result<engine::Schedule> orderOf(const PredictionRequest& request);

// What of a prediction does not depend on costs, and takes a good part of its time: built, checked,
// lowered. Whoever moves a slider of a cost keeps it.
struct PreparedSchedule
{
    engine::Schedule lowered; // empty where there are violations
    std::vector<engine::Violation> violations;
    std::size_t computeOps = 0;
    ClosedForm bubbleForm;
    QString label;
};
engine::Result<PreparedSchedule> prepare(const PredictionRequest& request);
engine::Result<Prediction> predict(const PreparedSchedule& prepared,
                                   const PredictionRequest& request);
engine::Result<Prediction> predict(const PredictionRequest& request);
// The same of a schedule that is there already: a file, or an edited one. Compute ops only; what
// the request says of its order is not asked.
engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   const PredictionRequest& request);

// Costs changed beyond those that the set-up always shows: F, I, W, P2P and all-reduce.
bool isSimple(const engine::UnitCosts& costs);

// Compute ops that a request would build, for deciding where to predict it; an upper bound.
std::int64_t estimatedOps(const engine::ScheduleRequest& request);
// Predicted at once, in the GUI thread: a third of a frame (bench_preview).
constexpr std::int64_t kInstantOps = 5'000;

// The formula's letters for a request that is possible.
FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request);
QString costsText(const engine::UnitCosts& costs);
// "F 1, B 2; free links", "gpt3-96b on a100-sxm-80, closed forms": beside a picture.
QString costsText(const PredictionRequest& request);
// "(4−2)/(3·4+4−2) = 14.3 %, as simulated": what a closed form says of a prediction; the formula
// alone where it says nothing. "" where the scheme states none.
QString closedFormText(const Prediction& prediction);

} // namespace app
