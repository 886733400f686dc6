#pragma once

#include "app/ui/thumbnail.h"
#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/model_prices.h"
#include "engine/model/model_spec.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <string_view>

namespace app {

// The values of the letters in a scheme's formula.
struct FormulaNumbers
{
    int devices = 1, microBatches = 1, chunks = 1, slices = 1; // D, N, v, S
};

// A closed form with the numbers filled in.
struct ClosedForm
{
    QString formula;             // "(D−2)/(3N+D−2) at N = D": as written in the scheme
    QString filled;              // "(4−2)/(3·4+4−2)"; "" if the formula cannot be evaluated
    std::optional<double> value; // 0.1428...; nullopt if the formula does not apply
    bool applies = true;         // false: its condition, such as "at N = D", does not hold

    friend bool operator==(const ClosedForm&, const ClosedForm&) = default;
};

// Evaluates a formula in the notation of Scheme::bubbleFormula:
//  * An expression has + - * / and parentheses over numbers and the letters D, N, v and S. Adjacent
//    factors are multiplied ("3N", "2(D-1)").
//  * "at" or "for" begins a condition ("N >= D > 2", "even D", "D = 3k+1").
//  * A comma begins another case.
//  * ";" begins a condition for all cases, or a remark.
//
// A formula with other words is shown but not evaluated.
ClosedForm closedForm(std::string_view formula, const FormulaNumbers& numbers);

// The source of the costs of a prediction: assumed costs in cost units, a model on hardware (closed
// forms), or the measured times of a recorded run. `bscope simulate` offers the same sources.
struct CostSource
{
    enum class Kind : int { Units, Hardware, Recorded };

    Kind kind = Kind::Units;
    QString model = QStringLiteral("gpt3-96b"), hardware = QStringLiteral("a100-sxm-80");
    engine::TrainingSetup setup; // used for Kind::Hardware
    QString file;                // file of the recorded run
    std::shared_ptr<const engine::Run> run;
    // Share of the input gradient (I) in the time of B, in per cent, for a run that has only B; 0:
    // not set.
    int inputShare = 0;

    bool isUnits() const { return kind == Kind::Units; }
    friend bool operator==(const CostSource&, const CostSource&) = default;
};

// Returns the part of `costs` that has an effect with `source`. Costs in units use all of `costs`;
// the other sources use only the timing rules. A recorded run also uses the devices per node, but
// no interference of joint ops, because the recorded times already include it.
engine::UnitCosts applicableCosts(const CostSource& source, const engine::UnitCosts& costs);

// Loads the model and the hardware of `source`, and sets recomputation and data-parallel width as
// in the schedule. Fails with Error::Code::InvalidArgument or NotFound; the message names the
// preset.
engine::Result<engine::ModelOnHardware>
modelOnHardware(const CostSource& source, engine::Recompute recompute, int dataParallel);
// Returns the costs of `lowered` from the times of a recorded run. Fails with
// Error::Code::InvalidArgument if the run lacks times; the message lists the missing ones.
engine::Result<engine::OpCosts> recordedCosts(const engine::Schedule& lowered,
                                              const CostSource& source,
                                              const engine::UnitCosts& rules);

// Returns `request` with the number of stages of the run in `source`. If the requested scheme does
// not support that number, returns `request` unchanged.
engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request);

QString sourceText(const CostSource& source);        // "gpt3-96b on a100-sxm-80"
QStringList sourceOptions(const CostSource& source); // options of `bscope simulate`

// A checked and simulated schedule, as the set-up page and the editor show it.
struct Prediction
{
    std::shared_ptr<const engine::Run> run; // null if not valid, or if only the summary was kept
    engine::RunInfo info;                   // facts about the run, also if `run` is null
    profiler::RunMetrics metrics;
    std::vector<engine::Violation> violations; // found by the validator; empty: valid
    std::size_t computeOps = 0;
    Thumbnail thumbnail;
    // The closed form of the scheme with the numbers of the request; empty if the scheme has none.
    ClosedForm bubbleForm;
    bool closedFormsApply = true;  // false: closed forms do not hold for these costs
    std::int64_t deviceMemory = 0; // bytes of the cost source's hardware; 0: unknown

    bool isValid() const { return violations.empty(); }
};

struct PredictionRequest
{
    engine::ScheduleRequest schedule;
    std::string scheduleFile = {}; // if set, the order is read from this file and not built
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    // Costs in cost units. If `source` is a model or a recorded run, only the part that
    // applicableCosts() returns is used.
    engine::UnitCosts costs = {};
    engine::Recompute recompute = engine::Recompute::None;
    std::optional<engine::EvictPolicy> evict = {}; // policy of BPipe's evicts; nullopt: none

    CostSource source = {};

    bool closedFormsApply() const;
    // Whether both requests have the same order of ops, so that at most the costs differ.
    bool hasSameOrder(const PredictionRequest& other) const;
    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

// Builds the requested order and applies its passes, but does not lower it.
engine::Result<engine::Schedule> orderOf(const PredictionRequest& request);

// A schedule that was built, checked and lowered. This part of a prediction takes much of the time
// and does not depend on costs, so it is kept while the user moves a cost slider.
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
// Predicts a schedule from a file or the editor. `schedule` must have only compute ops. Ignores the
// order of `request`.
engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   const PredictionRequest& request);

// Whether all costs have their defaults, except those that the set-up page always shows: F, I, W,
// P2P and all-reduce.
bool isSimple(const engine::UnitCosts& costs);

// Returns an upper bound of the number of compute ops in the requested schedule. Requests with at
// most kInstantOps are predicted on the GUI thread, others in the background.
std::int64_t estimatedOps(const engine::ScheduleRequest& request);
// Predicting this many ops takes a third of a frame (measured with bench_preview).
constexpr std::int64_t kInstantOps = 5'000;

// Returns the values of the letters (D, N, v, S) in the formulas of schemes. The scheme must accept
// the request.
FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request);
QString costsText(const engine::UnitCosts& costs);
// Describes the costs: "F 1, B 2; free links", "gpt3-96b on a100-sxm-80, closed forms".
QString costsText(const PredictionRequest& request);
// Returns the closed form with its value: "(D−2)/(3N+D−2): (4−2)/(3·4+4−2) = 14.3 %, as simulated".
// If it does not apply or cannot be evaluated, no value follows the formula. Returns "" if the
// scheme has no closed form.
QString closedFormText(const Prediction& prediction);

// The largest values of any device.
double largestStash(const profiler::RunMetrics& metrics);                       // in M_a
double largestWeights(const profiler::RunMetrics& metrics);                     // in M_theta
std::optional<std::int64_t> largestMemory(const profiler::RunMetrics& metrics); // in bytes

} // namespace app
