#include "app/plan/cost_state.h"

#include "app/plan/bpipe_plan.h"
#include "app/plan/run_plan.h"
#include "app/ui/text.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment.h"

#include <QJsonObject>

#include <algorithm>

namespace app {
namespace {

const QString kExperiment = QStringLiteral("experiment"), kCosts = QStringLiteral("costs"),
              kSource = QStringLiteral("source"), kCostModel = QStringLiteral("model"),
              kCostHardware = QStringLiteral("hardware"), kCostSetup = QStringLiteral("setup"),
              kCostRun = QStringLiteral("run"), kInputShare = QStringLiteral("inputShare"),
              kUnitCosts = QStringLiteral("units"), kEvict = QStringLiteral("evict"),
              kCostDevices = QStringLiteral("devices"), kCopies = QStringLiteral("dataParallel"),
              kBatch = QStringLiteral("batch"), kReserve = QStringLiteral("reserve"),
              kSizes = QStringLiteral("sizes"), kMfu = QStringLiteral("stageMfu"),
              kHasTypedMfu = QStringLiteral("hasTypedMfu");

// Also includes default values: restoring B overwrites I and W, which must then be restored, too.
template<class Object>
QJsonObject fieldTexts(engine::Fields<Object> fields, const Object& object)
{
    QJsonObject texts;
    for (const auto& field : fields)
        texts.insert(fromUtf8(field.flag), fromUtf8(field.get(object)));
    return texts;
}

template<class Object>
void setFields(engine::Fields<Object> fields, Object& object, const QJsonObject& texts)
{
    for (const auto& field : fields)
        if (const QJsonValue text = texts.value(fromUtf8(field.flag)); text.isString())
            static_cast<void>(engine::setChecked(field, object, text.toString().toStdString()));
}

} // namespace

QJsonObject planState(const RunPlan& plan)
{
    return {{kExperiment, QString::fromStdString(engine::toToml(plan.experiment))},
            {kCosts, costState(plan)}};
}

RunPlan restoredPlan(const QJsonObject& state)
{
    RunPlan plan = planFromExperiment(state.value(kExperiment).toString());
    restoreCosts(plan, state.value(kCosts).toObject());
    return plan;
}

QJsonObject costState(const RunPlan& plan)
{
    const CostSource& source = plan.source;
    QJsonObject state{{kSource, static_cast<int>(source.kind)},
                      {kCostModel, source.model},
                      {kCostHardware, source.hardware},
                      {kCostSetup, fieldTexts(engine::trainingSetupFields(), source.setup)},
                      {kCostRun, source.file},
                      {kInputShare, source.inputShare},
                      {kUnitCosts, fieldTexts(engine::unitCostFields(), plan.costs)}};
    if (plan.evict)
        state.insert(kEvict, static_cast<int>(*plan.evict));
    return state;
}

void restoreCosts(RunPlan& plan, const QJsonObject& state)
{
    constexpr int kMostShare = 99;
    CostSource& source = plan.source;
    if (const int kind = state.value(kSource).toInt(-1);
        kind >= 0 && kind <= static_cast<int>(CostSource::Kind::Recorded))
        source.kind = static_cast<CostSource::Kind>(kind);
    source.model = state.value(kCostModel).toString(source.model);
    source.hardware = state.value(kCostHardware).toString(source.hardware);
    setFields(engine::trainingSetupFields(), source.setup, state.value(kCostSetup).toObject());
    source.file = state.value(kCostRun).toString();
    source.inputShare = std::clamp(state.value(kInputShare).toInt(), 0, kMostShare);
    setFields(engine::unitCostFields(), plan.costs, state.value(kUnitCosts).toObject());
    if (const int evict = state.value(kEvict).toInt(-1);
        evict >= 0 && evict <= static_cast<int>(engine::EvictPolicy::Steady))
        plan.evict = static_cast<engine::EvictPolicy>(evict);
}

QJsonObject costState(const BpipePlan& plan)
{
    return {{kCostModel, plan.model},
            {kCostHardware, plan.hardware},
            {kCostSetup, fieldTexts(engine::trainingSetupFields(), plan.setup)},
            {kCostDevices, plan.devices},
            {kCopies, plan.setup.dataParallel},
            {kBatch, plan.batch},
            {kReserve, plan.reserve},
            {kSizes, plan.sizes},
            {kHasTypedMfu, plan.hasTypedMfu},
            {kMfu, plan.stageMfu}};
}

void restoreCosts(BpipePlan& plan, const QJsonObject& state)
{
    plan.model = state.value(kCostModel).toString(plan.model);
    plan.hardware = state.value(kCostHardware).toString(plan.hardware);
    setFields(engine::trainingSetupFields(), plan.setup, state.value(kCostSetup).toObject());
    const auto restore = [&state](const QString& key, int& value, int least, int most) {
        value = std::clamp(state.value(key).toInt(value), least, most);
    };
    restore(kCostDevices, plan.devices, 1, BpipePlan::kMostDevices);
    restore(kCopies, plan.setup.dataParallel, 1, BpipePlan::kMostDevices);
    restore(kBatch, plan.batch, 1, BpipePlan::kMostBatch);
    restore(kReserve, plan.reserve, 0, BpipePlan::kMostReserve);
    plan.sizes = state.value(kSizes).toString(plan.sizes);
    plan.hasTypedMfu = state.value(kHasTypedMfu).toBool(plan.hasTypedMfu);
    plan.stageMfu = state.value(kMfu).toString(plan.stageMfu);
}

} // namespace app
