#pragma once

#include "app/models/device_facts.h"
#include "app/models/plan/prediction.h"
#include "engine/experiment/experiment.h"

#include <QString>
#include <QStringList>

namespace app {

// What the set-up page holds: the experiment, and what only a prediction has.
struct RunPlan
{
    engine::Experiment experiment;
    engine::UnitCosts costs;
    CostSource source;
    std::optional<engine::EvictPolicy> evict;

    PredictionRequest request() const;
    friend bool operator==(const RunPlan&, const RunPlan&) = default;
};

QStringList modelPresets(); // that are compiled in
// The plan with another model. Settings that differ from the old preset are kept, apart from the
// micro-batch size, the sequence and the recomputation, which the new one decides.
void chooseModel(RunPlan& plan, const QString& model);

QStringList runOptions(const RunPlan& plan); // of `bscope run`
// Options of `bscope simulate` beside the schedule: costs and passes.
QStringList timingOptions(const PredictionRequest& request);
// The whole command, quoted for a shell: "bscope run --scheme bitpipe --devices 4 ...".
QString commandText(const RunPlan& plan);

// The plan of an experiment (RunInfo::experiment); the default plan where it cannot be read.
RunPlan planFromExperiment(const QString& toml);

// Why the plan cannot be run although the schedule is fine: "" when it can.
QString planProblem(const RunPlan& plan, const engine::Schedule& lowered);
// Why it cannot on this machine, although it could on another: "" when it can.
QString machineProblem(const RunPlan& plan, const DeviceFacts& here);

} // namespace app
