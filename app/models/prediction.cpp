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

engine::Result<void> addTimes(Prediction& result, const engine::Schedule& schedule,
                              const QString& label, engine::SyncPolicy sync,
                              const CostSetting& setting)
{
    auto run = std::make_shared<engine::Run>();
    run->schedule = engine::lower(schedule, sync);
    const auto costs = engine::unitOpCosts(run->schedule, unitCosts(setting));
    if (!costs)
        return tl::unexpected(costs.error());
    auto timeline = engine::simulate(run->schedule, *costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    run->timeline = std::move(*timeline);
    run->info = predictionInfo(schedule, label, setting, costs->ticksPerUnit);
    auto metrics = profiler::metrics(*run);
    if (!metrics)
        return tl::unexpected(metrics.error());
    result.metrics = std::move(*metrics);
    result.thumbnail = makeThumbnail(*run);
    result.run = std::move(run);
    return {};
}

} // namespace

engine::Result<Prediction> predict(const engine::Schedule& schedule, const QString& label,
                                   engine::SyncPolicy sync, const CostSetting& costs)
{
    Prediction result;
    result.violations = engine::validate(schedule);
    result.computeOps = engine::opCount(schedule);
    result.isUsual = costs.isUsual();
    if (!result.violations.empty())
        return result;
    if (const auto timed = addTimes(result, schedule, label, sync, costs); !timed)
        return tl::unexpected(timed.error());
    return result;
}

engine::Result<Prediction> predict(const PredictionRequest& request)
{
    const auto schedule = engine::buildSchedule(request.schedule);
    if (!schedule)
        return tl::unexpected(schedule.error());
    auto result = predict(*schedule, labelOf(request.schedule.scheme), request.sync, request.costs);
    const engine::Scheme* scheme = engine::findScheme(request.schedule.scheme);
    if (!result || scheme == nullptr || scheme->bubbleFormula.empty())
        return result;
    FormulaNumbers numbers = formulaNumbers(request.schedule);
    numbers.slices = schedule->shape.slices;
    result->bubbleForm = closedForm(scheme->bubbleFormula, numbers);
    return result;
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
    const QString filled = form.formula + text(": %1 = %2").arg(form.filled, percent(*form.value));
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
