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

// A checked and simulated schedule, as the set-up page and the editor show it.
struct Prediction
{
    std::shared_ptr<const engine::Run> run; // null: not valid, or only the summary was kept
    engine::RunInfo info;                   // facts about the run, also if `run` is null
    profiler::RunMetrics metrics;
    std::vector<engine::Violation> violations; // empty: complete, in order, no deadlock
    std::size_t computeOps = 0;
    Thumbnail thumbnail;
    ClosedForm bubbleForm;         // of the scheme, for these numbers; empty if it has none
    bool closedFormsApply = true;  // whether the costs are those that closed forms assume
    std::int64_t deviceMemory = 0; // bytes of the hardware in the cost source; 0: unknown

    bool isValid() const { return violations.empty(); }
};

struct PredictionRequest
{
    engine::ScheduleRequest schedule;
    std::string scheduleFile = {}; // file with an order; replaces the scheme
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    engine::UnitCosts costs = {}; // with another cost source, only those of applicableCosts()
    engine::Recompute recompute = engine::Recompute::None;
    std::optional<engine::EvictPolicy> evict = {}; // pairs of devices share stashes, as in BPipe

    CostSource source = {};

    bool closedFormsApply() const;
    // Whether everything that the schedule depends on is equal, so that only costs may differ.
    bool hasSameOrder(const PredictionRequest& other) const;
    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

// Builds the requested order and applies its passes, but not lower().
engine::Result<engine::Schedule> orderOf(const PredictionRequest& request);

// The part of a prediction that does not depend on costs and takes much of its time: the schedule
// is built, checked and lowered. Kept while the user moves a cost slider.
struct PreparedSchedule
{
    engine::Schedule lowered; // empty if there are violations
    std::vector<engine::Violation> violations;
    std::size_t computeOps = 0;
    ClosedForm bubbleForm;
    QString label;
};
engine::Result<PreparedSchedule> prepare(const PredictionRequest& request);
engine::Result<Prediction> predict(const PreparedSchedule& prepared,
                                   const PredictionRequest& request);
engine::Result<Prediction> predict(const PredictionRequest& request);
// Predicts a schedule from a file or the editor. It must have only compute ops. The order of
// `request` is ignored.
engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   const PredictionRequest& request);

// Whether all costs are defaults, except those that the set-up page always shows: F, I, W, P2P and
// all-reduce.
bool isSimple(const engine::UnitCosts& costs);

// An upper bound of the number of compute ops that a request builds. Decides on which thread it is
// predicted.
std::int64_t estimatedOps(const engine::ScheduleRequest& request);
// Up to this many ops are predicted on the GUI thread; they take a third of a frame
// (bench_preview).
constexpr std::int64_t kInstantOps = 5'000;

// The values of the letters in the formula, for a possible request.
FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request);
QString costsText(const engine::UnitCosts& costs);
// Describes the costs: "F 1, B 2; free links", "gpt3-96b on a100-sxm-80, closed forms".
QString costsText(const PredictionRequest& request);
// Returns the closed form with its value: "(4−2)/(3·4+4−2) = 14.3 %, as simulated". If it does not
// cover these numbers, returns only the formula; "" if the scheme has none.
QString closedFormText(const Prediction& prediction);

} // namespace app
