#include "app/plan/cost_source.h"

#include "engine/base/try.h"
#include "engine/cost/training_setup.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/calibrate.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace app {
namespace {

using engine::ModelOnHardware;
using Kind = CostSource::Kind;

constexpr int kPercent = 100;

} // namespace

engine::UnitCosts applicableCosts(const CostSource& source, const engine::UnitCosts& costs)
{
    if (source.isUnits())
        return costs;
    engine::UnitCosts counting;
    counting.rules = costs.rules;
    // The recorded times of joint ops already include their interference, so none is added.
    if (source.kind == Kind::Recorded) {
        counting.rules.joint = {1};
        counting.devicesPerNode = costs.devicesPerNode; // decides which messages cross nodes
    }
    return counting;
}

engine::Result<ModelOnHardware> modelOnHardware(const CostSource& source,
                                                engine::Recompute recompute, int dataParallel)
{
    auto model = TRY(engine::loadTransformer(source.model.toStdString()));
    auto hardware = TRY(engine::loadHardware(source.hardware.toStdString()));
    ModelOnHardware on{std::move(model), std::move(hardware), source.setup};
    on.setup.dataParallel = dataParallel;
    if (recompute == engine::Recompute::Attention)
        on.setup.attention = engine::AttentionMode::Recompute;
    if (recompute == engine::Recompute::Full)
        on.setup.recomputesAll = true;
    return on;
}

engine::Result<engine::OpCosts> recordedCosts(const engine::Schedule& lowered,
                                              const CostSource& source,
                                              const engine::UnitCosts& rules)
{
    if (!source.run)
        return engine::fail(
            engine::Error::Code::InvalidArgument,
            "no recorded run is selected; select one with the same stages, or use costs in units");
    const auto share = source.inputShare > 0
        ? std::optional(engine::reduced(source.inputShare, kPercent))
        : std::nullopt;
    profiler::CalibrateOptions options;
    options.devicesPerNode = rules.devicesPerNode;
    options.inputShare = share;
    options.rules = rules.rules;
    return profiler::calibratedCosts(*source.run, lowered, options);
}

engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request)
{
    if (source.kind != Kind::Recorded || !source.run || request.devices < 1)
        return request;
    const int stages = source.run->schedule.shape.stages;
    if (stages % request.devices != 0)
        return request;
    engine::ScheduleRequest same = request;
    same.chunks = stages / request.devices;
    return engine::checkRequest(same) ? same : request;
}

QString sourceText(const CostSource& source)
{
    const auto text = [](const char* words) { return QCoreApplication::translate("Costs", words); };
    if (source.kind == Kind::Hardware)
        return text("%1 on %2, closed forms").arg(source.model, source.hardware);
    return source.run ? text("medians of %1").arg(QFileInfo(source.file).fileName())
                      : text("no recorded run is selected");
}

QStringList sourceOptions(const CostSource& source)
{
    if (source.isUnits())
        return {};
    if (source.kind == Kind::Recorded) {
        QStringList options{QStringLiteral("--calibrate"), source.file};
        if (source.inputShare > 0)
            options << QStringLiteral("--split-backward")
                    << QString::number(source.inputShare / double(kPercent));
        return options;
    }
    QStringList options{QStringLiteral("--model"), source.model, QStringLiteral("--hardware"),
                        source.hardware};
    for (const std::string& word :
         engine::arguments(engine::trainingSetupFields(), source.setup, engine::TrainingSetup()))
        options.append(QString::fromStdString(word));
    return options;
}

} // namespace app
