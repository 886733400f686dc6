#pragma once

class QJsonObject;

namespace app {

struct BpipePlan;
struct RunPlan;

// Returns what the TOML of a plan's experiment lacks: the source of the costs, the costs in units
// and the policy of evicts.
QJsonObject costState(const RunPlan& plan);

// Sets the costs of a plan. Ignores missing and invalid parts of `state`. Of a recorded run only
// the file is set; CostSourceForm reads it.
void restoreCosts(RunPlan& plan, const QJsonObject& state);

// The same for all inputs of the estimator.
QJsonObject costState(const BpipePlan& plan);
void restoreCosts(BpipePlan& plan, const QJsonObject& state);

} // namespace app
