#include "app/models/plan/cost_source.h"

#include "engine/schedules/scheme.h"
#include "profiler/analysis/calibrate.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <array>

namespace app {
namespace {

using engine::ModelOnHardware;
using Kind = CostSource::Kind;

constexpr std::array<const char*, 3> kAttention{"standard", "recompute", "flash"};
constexpr int kPercent = 100;

} // namespace

CostSetting countingBeside(const CostSource& source, const CostSetting& costs)
{
    if (source.isUnits())
        return costs;
    CostSetting rules;
    rules.slowDown = costs.slowDown;
    rules.jitter = costs.jitter;
    rules.seed = costs.seed;
    rules.blockingSend = costs.blockingSend;
    if (source.kind == Kind::Hardware)
        rules.joint = costs.joint;
    else
        rules.devicesPerNode = costs.devicesPerNode; // which of the run's messages cross
    return rules;
}

engine::Result<ModelOnHardware> modelOnHardware(const CostSource& source,
                                                engine::Recompute recompute, int dataParallel)
{
    auto model = engine::loadTransformer(source.model.toStdString());
    if (!model)
        return tl::unexpected(model.error());
    auto hardware = engine::loadHardware(source.hardware.toStdString());
    if (!hardware)
        return tl::unexpected(hardware.error());
    ModelOnHardware on{*std::move(model), *std::move(hardware), source.setup};
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
        return engine::fail(engine::Error::Code::InvalidArgument,
                            "no recorded run is chosen; choose one of the same stages, or take "
                            "costs in units");
    const auto share = source.inputShare > 0
        ? std::optional(engine::reduced(source.inputShare, kPercent))
        : std::nullopt;
    return profiler::calibratedCosts(*source.run, lowered,
                                     {rules.devicesPerNode, share, rules.rules});
}

engine::ScheduleRequest alike(const CostSource& source, engine::ScheduleRequest request)
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
                      : text("no recorded run is chosen");
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
    const engine::TrainingSetup usual;
    const engine::TrainingSetup& setup = source.setup;
    QStringList options{QStringLiteral("--model"), source.model, QStringLiteral("--hardware"),
                        source.hardware};
    if (setup.microBatchSize != usual.microBatchSize)
        options << QStringLiteral("--micro-batch-size") << QString::number(setup.microBatchSize);
    if (setup.tensorParallel != usual.tensorParallel)
        options << QStringLiteral("--tensor-parallel") << QString::number(setup.tensorParallel);
    if (setup.attention != usual.attention)
        options << QStringLiteral("--attention")
                << QString::fromLatin1(kAttention[static_cast<std::size_t>(setup.attention)]);
    if (!setup.sequenceParallel)
        options << QStringLiteral("--no-sequence-parallel");
    if (setup.recomputesAll)
        options << QStringLiteral("--recompute-all");
    return options;
}

} // namespace app
