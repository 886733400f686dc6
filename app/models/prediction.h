#pragma once

#include "app/models/closed_form.h"
#include "app/models/cost_setting.h"
#include "app/models/thumbnail.h"
#include "engine/base/result.h"
#include "engine/schedule/passes.h"
#include "engine/schedule/validate.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/metrics.h"

#include <QString>

#include <memory>

namespace app {

// A schedule as the set-up page and the editor show it: checked, and simulated in units.
struct Prediction
{
    std::shared_ptr<const engine::Run> run; // null: not valid, or only the summary was kept
    profiler::RunMetrics metrics;
    std::vector<engine::Violation> violations; // empty: complete, in order, no deadlock
    std::size_t computeOps = 0;
    Thumbnail thumbnail;
    ClosedForm bubbleForm; // of the scheme, with these numbers; empty where it states none
    bool isUsual = true;   // the costs with which closed forms are stated

    bool isValid() const { return violations.empty(); }
};

struct PredictionRequest
{
    engine::ScheduleRequest schedule;
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;
    CostSetting costs;

    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

engine::Result<Prediction> predict(const PredictionRequest& request);
// The same of a schedule that is there already: a file, or an edited one. Compute ops only.
engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   engine::SyncPolicy sync, const CostSetting& costs);

// Compute ops that a request would build, for deciding where to predict it; an upper bound.
std::int64_t estimatedOps(const engine::ScheduleRequest& request);
// Simulated while the user waits for the key to come up: within a frame.
constexpr std::int64_t kInstantOps = 40'000;

// The formula's letters for a request that is possible.
FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request);
// "(4−2)/(3·4+4−2) = 14.3 %, as simulated": what a closed form says of a prediction; the formula
// alone where it says nothing. "" where the scheme states none.
QString closedFormText(const Prediction& prediction);

} // namespace app
