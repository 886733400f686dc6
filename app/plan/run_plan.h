#pragma once

#include "app/ui/device_facts.h"
#include "app/ui/thumbnail.h"
#include "engine/base/field.h"
#include "engine/experiment/experiment.h"
#include "engine/schedules/scheme.h"
#include "profiler/predict/predict.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

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

using profiler::applicableCosts;
using profiler::CostSource;
using profiler::PredictionRequest;

// Returns `request` with the number of stages of the run in `source`, if the scheme supports it.
engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request);

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
    bool closedFormsApply = true; // false: closed forms do not hold for these costs
    // Only with costs of a model on hardware, and on request.
    std::optional<profiler::LinkLoads> loads;

    bool isValid() const { return violations.empty(); }
    // Whether the simulated share of bubbles is that of the closed form.
    bool matchesClosedForm() const;
};

// Whether the closed forms of schemes hold for the costs and passes of a request.
bool closedFormsApply(const PredictionRequest& request);

// The schedule of a request with its closed form; kept while the user moves a cost slider.
struct PreparedSchedule : profiler::PreparedSchedule
{
    ClosedForm bubbleForm;
};
engine::Result<PreparedSchedule> prepare(const PredictionRequest& request);
enum class Loads : bool { No, Yes }; // whether Prediction::loads is computed
engine::Result<Prediction> predict(const PreparedSchedule& prepared,
                                   const PredictionRequest& request, Loads loads = Loads::No);
engine::Result<Prediction> predict(const PredictionRequest& request);
// Predicts a schedule from a file or the editor. `schedule` must have only compute ops. Ignores the
// order of `request`.
engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   const PredictionRequest& request);

// Whether all costs have their defaults, except those that the set-up page always shows: F, I, W,
// P2P and all-reduce.
bool isSimple(const engine::UnitCosts& costs);

// Returns an upper bound of the number of compute ops in the requested schedule. Requests with at
// most kInstantOps that do not move recompute ops are predicted on the GUI thread, others in the
// background.
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

// A change that makes an impossible request possible, such as "N = 8". The user applies it with one
// click.
struct Remedy
{
    QString text;
    engine::ScheduleRequest request;

    friend bool operator==(const Remedy&, const Remedy&) = default;
};

// The parameter that makes a request impossible, and the nearest possible values according to the
// scheme's own check.
struct Fault
{
    enum class Field : std::uint8_t { None, Devices, MicroBatches, Chunks, Option, Other };

    Field field = Field::None;
    QString reason;  // short, shown inside the field: "try 4 or 8"
    QString message; // the full message of the check
    std::vector<Remedy> remedies;
};
Fault findFault(const engine::ScheduleRequest& request);

// Returns the value in [1, most] for `member` (D, N or v) that is possible and nearest to `value`.
// Returns `value` if none is possible.
int nearestPossible(const engine::ScheduleRequest& request, int engine::ScheduleRequest::*member,
                    int value, int most);

// Describes the values of D, N and v that a scheme accepts: "D ≥ 2, even; N a multiple of D; v =
// 2".
QString ruleText(const engine::Scheme& scheme);
// The parts of ruleText() for the input fields: "≥ 2, even", "a multiple of D". A part is "" if the
// scheme accepts any value.
struct RuleParts
{
    QString devices, microBatches, chunks, other;
};
RuleParts ruleParts(const engine::Scheme& scheme);

// The settings of the set-up page, for the experiment and for its prediction.
struct RunPlan
{
    engine::Experiment experiment;
    engine::UnitCosts costs;
    CostSource source;
    std::optional<engine::EvictPolicy> evict;

    PredictionRequest request() const;
    friend bool operator==(const RunPlan&, const RunPlan&) = default;
};

QStringList modelPresets(); // only the built-in presets
// Changes the model of a plan. Model settings that differ from the old preset are kept, except the
// micro-batch size, sequence length and recomputation, which come from the new preset.
void chooseModel(RunPlan& plan, const QString& model);

// Returns the plan with another scheme. D, N and the model are kept; chunks and options become the
// defaults of the new scheme.
RunPlan withScheme(RunPlan plan, std::string_view scheme);

QStringList runOptions(const RunPlan& plan); // options of `bscope run`
// The whole command, quoted for a shell: "bscope run --scheme bitpipe --devices 4 ...".
QString commandText(const RunPlan& plan);

// Returns the plan of an experiment (RunInfo::experiment); the default plan if it cannot be parsed.
RunPlan planFromExperiment(const QString& toml);

// The scheme files that the user kept, which New run lists: *.csv of the folder `schemes` of the
// data folder.
QStringList ownSchemes();
// Keeps a schedule of compute ops under a name that no file has. Returns the file.
engine::Result<QString> keepScheme(const QString& name, const engine::Schedule& order);

// Returns the reason why the plan cannot run although its schedule is valid; "" if it can.
QString planProblem(const RunPlan& plan, const engine::Schedule& lowered);
// Returns the reason why this machine cannot run the plan although another could; "" if it can.
QString machineProblem(const RunPlan& plan, const DeviceFacts& here);

// The state of a page about a plan, and the plan that it stands for; see Page::state(). Missing and
// invalid parts are ignored. Of a recorded run with the costs, only the name of the file is set,
// which CostForm reads later.
QJsonObject planState(const RunPlan& plan);
RunPlan restoredPlan(const QJsonObject& state);

// The texts of all fields of an object, by their options, and the object that they stand for. Also
// includes default values: restoring B overwrites I and W, which must then be restored, too.
template<class Object>
QJsonObject fieldTexts(engine::Fields<Object> fields, const Object& object)
{
    QJsonObject texts;
    for (const auto& field : fields)
        texts.insert(QString::fromStdString(field.flag), QString::fromStdString(field.get(object)));
    return texts;
}
// Ignores missing and invalid texts.
template<class Object>
void setFields(engine::Fields<Object> fields, Object& object, const QJsonObject& texts)
{
    for (const auto& field : fields)
        if (const QJsonValue text = texts.value(QString::fromStdString(field.flag));
            text.isString())
            static_cast<void>(engine::setChecked(field, object, text.toString().toStdString()));
}

} // namespace app
