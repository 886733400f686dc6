#pragma once

#include "app/models/thumbnail.h"
#include "engine/base/result.h"
#include "engine/schedule/passes.h"
#include "engine/schedule/validate.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/metrics.h"

#include <QString>

#include <memory>

namespace app {

// A schedule as the set-up page shows it: built, checked and simulated in units (F 1, B 2, free
// links).
struct Prediction
{
    std::shared_ptr<const engine::Run> run;
    profiler::RunMetrics metrics;
    std::vector<engine::Violation> violations; // empty: complete, in order, no deadlock
    std::size_t computeOps = 0;
    Thumbnail thumbnail;
};

struct PredictionRequest
{
    engine::ScheduleRequest schedule;
    engine::SyncPolicy sync = engine::SyncPolicy::Eager;

    friend bool operator==(const PredictionRequest&, const PredictionRequest&) = default;
};

engine::Result<Prediction> predict(const PredictionRequest& request);

// Compute ops that a request would build, for deciding where to predict it; an upper bound.
std::int64_t estimatedOps(const engine::ScheduleRequest& request);
constexpr std::int64_t kInstantOps = 6000; // simulated while the user waits for the key to come up

// Which number makes a request impossible, and the nearest values that are fine: asked of the
// scheme's own check, so that the window knows no rule of its own.
struct Fault
{
    enum class Field : std::uint8_t { None, Devices, MicroBatches, Chunks, Other };

    Field field = Field::None;
    QString reason;  // short, for inside the field: "try 4 or 8"
    QString message; // the whole sentence of the check
};
// What D, N and v a scheme accepts, for people: "D ≥ 2, even; N a multiple of D; v = 2".
QString ruleText(const engine::Scheme& scheme);
Fault findFault(const engine::ScheduleRequest& request);

} // namespace app
