#include "app/plan/cost_state.h"

#include "app/plan/run_plan.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment.h"

namespace app {
namespace {

const QString kExperiment = QStringLiteral("experiment"), kCosts = QStringLiteral("costs"),
              kKind = QStringLiteral("kind"), kSource = QStringLiteral("source"),
              kSetup = QStringLiteral("setup"), kUnitCosts = QStringLiteral("units"),
              kEvict = QStringLiteral("evict");

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
    QJsonObject state{{kKind, static_cast<int>(source.kind)},
                      {kSource, fieldTexts(profiler::costSourceFields(), source)},
                      {kSetup, fieldTexts(engine::trainingSetupFields(), source.setup)},
                      {kUnitCosts, fieldTexts(engine::unitCostFields(), plan.costs)}};
    if (plan.evict)
        state.insert(kEvict, static_cast<int>(*plan.evict));
    return state;
}

void restoreCosts(RunPlan& plan, const QJsonObject& state)
{
    CostSource& source = plan.source;
    const CostSource::Kind before = source.kind;
    setFields(profiler::costSourceFields(), source, state.value(kSource).toObject());
    const int kind = state.value(kKind).toInt(-1);
    source.kind = kind >= 0 && kind <= static_cast<int>(CostSource::Kind::Recorded)
        ? static_cast<CostSource::Kind>(kind)
        : before;
    setFields(engine::trainingSetupFields(), source.setup, state.value(kSetup).toObject());
    setFields(engine::unitCostFields(), plan.costs, state.value(kUnitCosts).toObject());
    if (const int evict = state.value(kEvict).toInt(-1);
        evict >= 0 && evict <= static_cast<int>(engine::EvictPolicy::Steady))
        plan.evict = static_cast<engine::EvictPolicy>(evict);
}

} // namespace app
