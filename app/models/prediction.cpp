#include "app/models/prediction.h"

#include "app/models/numbers.h"
#include "app/models/text.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

engine::RunInfo predictionInfo(const engine::Schedule& schedule, const QString& label,
                               const CostSetting& costs, std::int64_t ticksPerUnit)
{
    engine::RunInfo info;
    info.scheme = schedule.scheme;
    info.label = label.toStdString();
    info.mode = engine::Mode::Simulate;
    info.outcome = engine::Outcome::Finished;
    info.ticksPerUnit = ticksPerUnit;
    info.link = linkText(costs).toStdString();
    return info;
}

QString labelOf(const std::string& name)
{
    const engine::Scheme* scheme = engine::findScheme(name);
    return scheme != nullptr ? shortTitle(fromUtf8(scheme->title)) : QString::fromStdString(name);
}

engine::Result<engine::OpCosts> costsOf(const engine::Schedule& lowered,
                                        const PredictionRequest& request)
{
    CostSetting setting = request.costs;
    if (request.recompute == engine::Recompute::Attention
        && setting.recompute == CostSetting::kSame)
        setting.recompute = kAttentionShare;
    auto units = unitCosts(setting);
    if (!units)
        return tl::unexpected(units.error());
    units->rules.blockingAllReduce = request.sync == engine::SyncPolicy::EagerBlocking;
    return engine::unitOpCosts(lowered, *units);
}

PreparedSchedule checked(const engine::Schedule& schedule, const QString& label,
                         engine::SyncPolicy sync)
{
    PreparedSchedule prepared;
    prepared.violations = engine::validate(schedule);
    prepared.computeOps = engine::opCount(schedule);
    prepared.label = label;
    if (prepared.violations.empty())
        prepared.lowered = engine::lower(schedule, sync);
    return prepared;
}

engine::Result<void> addTimes(Prediction& result, const PreparedSchedule& prepared,
                              const PredictionRequest& request)
{
    auto run = std::make_shared<engine::Run>();
    run->schedule = prepared.lowered;
    const auto costs = costsOf(run->schedule, request);
    if (!costs)
        return tl::unexpected(costs.error());
    auto timeline = engine::simulate(run->schedule, *costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    run->timeline = std::move(*timeline);
    run->info = predictionInfo(run->schedule, prepared.label, request.costs, costs->ticksPerUnit);
    auto metrics = profiler::metrics(*run);
    if (!metrics)
        return tl::unexpected(metrics.error());
    result.metrics = std::move(*metrics);
    result.thumbnail = makeThumbnail(*run);
    result.run = std::move(run);
    return {};
}

} // namespace

bool PredictionRequest::hasSameOrder(const PredictionRequest& other) const
{
    return schedule == other.schedule && sync == other.sync && recompute == other.recompute
        && evict == other.evict;
}

engine::Result<engine::Schedule> orderOf(const PredictionRequest& request)
{
    auto schedule = engine::buildSchedule(request.schedule);
    if (schedule && request.evict)
        schedule = engine::addEvictLoad(*schedule, *request.evict);
    if (!schedule)
        return schedule;
    if (request.recompute != engine::Recompute::None)
        schedule = engine::addRecompute(*schedule);
    schedule->shape.dataParallel = request.schedule.dataParallel;
    return schedule;
}

engine::Result<PreparedSchedule> prepare(const PredictionRequest& request)
{
    const auto schedule = orderOf(request);
    if (!schedule)
        return tl::unexpected(schedule.error());
    PreparedSchedule prepared = checked(*schedule, labelOf(request.schedule.scheme), request.sync);
    const engine::Scheme* scheme = engine::findScheme(request.schedule.scheme);
    if (scheme == nullptr || scheme->bubbleFormula.empty())
        return prepared;
    FormulaNumbers numbers = formulaNumbers(request.schedule);
    numbers.slices = schedule->shape.slices;
    prepared.bubbleForm = closedForm(scheme->bubbleFormula, numbers);
    return prepared;
}

engine::Result<Prediction> predict(const PreparedSchedule& prepared,
                                   const PredictionRequest& request)
{
    Prediction result;
    result.violations = prepared.violations;
    result.computeOps = prepared.computeOps;
    result.bubbleForm = prepared.bubbleForm;
    result.isUsual
        = request.costs.isUsual() && !request.evict && request.recompute == engine::Recompute::None;
    if (!result.isValid())
        return result;
    if (const auto timed = addTimes(result, prepared, request); !timed)
        return tl::unexpected(timed.error());
    return result;
}

engine::Result<Prediction> predict(const PredictionRequest& request)
{
    const auto prepared = prepare(request);
    return prepared ? predict(*prepared, request) : tl::unexpected(prepared.error());
}

engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   const PredictionRequest& request)
{
    return predict(checked(schedule, label, request.sync), request);
}

FormulaNumbers formulaNumbers(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int usual = scheme != nullptr ? scheme->defaultChunks : 1;
    return {request.devices, request.microBatches, request.chunks > 0 ? request.chunks : usual, 1};
}

QString closedFormText(const Prediction& prediction)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("ClosedForm", source); };
    const ClosedForm& form = prediction.bubbleForm;
    if (form.formula.isEmpty())
        return {};
    if (!form.applies)
        return form.formula + text(": says nothing about this D and N");
    if (!form.value)
        return form.formula;
    QString filled = form.formula + text(": %1 = %2").arg(form.filled, percent(*form.value));
    constexpr double kSame = 1e-9;
    if (!prediction.isValid())
        return filled;
    if (std::abs(*form.value - prediction.metrics.bubbleRatio) < kSame)
        return filled + text(", as simulated");
    return filled
        + (prediction.isUsual ? text(", simulated %1").arg(percent(prediction.metrics.bubbleRatio))
                              : text(", for F 1, B 2 and free links"));
}

std::int64_t estimatedOps(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int fallback = scheme != nullptr ? scheme->defaultChunks : 1;
    const std::int64_t chunks = request.chunks > 0 ? request.chunks : fallback;
    const std::int64_t kinds = scheme != nullptr && scheme->splitsBackward ? 3 : 2;
    return kinds * chunks * request.devices * request.microBatches;
}

} // namespace app
