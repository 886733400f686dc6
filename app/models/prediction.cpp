#include "app/models/prediction.h"

#include "app/models/text.h"
#include "engine/sim/simulate.h"

namespace app {
namespace {

engine::RunInfo predictionInfo(const PredictionRequest& request, std::int64_t ticksPerUnit)
{
    engine::RunInfo info;
    info.scheme = request.schedule.scheme;
    const engine::Scheme* scheme = engine::findScheme(info.scheme);
    info.label
        = scheme != nullptr ? shortTitle(fromUtf8(scheme->title)).toStdString() : info.scheme;
    info.mode = engine::Mode::Simulate;
    info.outcome = engine::Outcome::Finished;
    info.ticksPerUnit = ticksPerUnit;
    info.link = "free";
    return info;
}

} // namespace

engine::Result<Prediction> predict(const PredictionRequest& request)
{
    auto schedule = engine::buildSchedule(request.schedule);
    if (!schedule)
        return tl::unexpected(schedule.error());
    Prediction result;
    result.violations = engine::validate(*schedule);
    result.computeOps = engine::opCount(*schedule);
    auto run = std::make_shared<engine::Run>();
    run->schedule = engine::lower(*schedule, request.sync);
    const auto costs = engine::unitOpCosts(run->schedule, {});
    if (!costs)
        return tl::unexpected(costs.error());
    auto timeline = engine::simulate(run->schedule, *costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    run->timeline = std::move(*timeline);
    run->info = predictionInfo(request, costs->ticksPerUnit);
    auto metrics = profiler::metrics(*run);
    if (!metrics)
        return tl::unexpected(metrics.error());
    result.metrics = std::move(*metrics);
    result.thumbnail = makeThumbnail(*run);
    result.run = std::move(run);
    return result;
}

std::int64_t estimatedOps(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int fallback = scheme != nullptr ? scheme->defaultChunks : 1;
    const std::int64_t chunks = request.chunks > 0 ? request.chunks : fallback;
    constexpr std::int64_t kKinds = 3; // F, I and W at most
    return kKinds * chunks * request.devices * request.microBatches;
}

} // namespace app
