#pragma once

class QJsonObject;

namespace app {

struct BpipePlan;
struct RunPlan;

// The state of a page about a plan, and the plan that it stands for; see Page::state().
QJsonObject planState(const RunPlan& plan);
RunPlan restoredPlan(const QJsonObject& state);

// Returns the parts of a plan that the TOML of its experiment does not contain: the source of the
// costs, the costs in units and the policy of evicts.
QJsonObject costState(const RunPlan& plan);

// Sets the costs of a plan. Ignores missing and invalid parts of `state`. For a recorded run, sets
// only the name of the file, which CostSourceForm reads later.
void restoreCosts(RunPlan& plan, const QJsonObject& state);

// The same for all inputs of the estimator.
QJsonObject costState(const BpipePlan& plan);
void restoreCosts(BpipePlan& plan, const QJsonObject& state);

} // namespace app
