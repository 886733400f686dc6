#pragma once

#include "app/models/plan/run_plan.h"
#include "engine/kit/training_kit.h"
#include "profiler/analysis/links/link_loads.h"

#include <memory>
#include <optional>
#include <vector>

namespace app {

// A training on a cluster: what runs, how it is started, and the hardware that is assumed.
struct ClusterPlan
{
    engine::Experiment experiment;
    engine::Launcher launcher = engine::Launcher::Torchrun;
    int gpusPerNode = 8;
    QString firstNode = QStringLiteral("node-1"); // host name or address
    int port = engine::LaunchPlace().port;
    QString hardware; // preset; "": no prediction
};

// What was checked before a kit is written. Only a problem prevents it.
struct ClusterCheck
{
    enum class Level : int { Pass, Warning, Problem };

    Level level = Level::Pass;
    QString bold, text;
};

// The prediction of a kit on the assumed hardware.
struct ClusterPrediction
{
    std::shared_ptr<const engine::Run> run;
    profiler::RunMetrics metrics;
    profiler::LinkLoads loads;
    engine::HardwareSpec hardware;
};

// What follows from a plan.
struct ClusterOutlook
{
    engine::TrainingKit kit;
    QString command, commandProblem; // one of them is ""
    std::vector<ClusterCheck> checks;
    std::optional<ClusterPrediction> prediction;

    double kitBytes() const;
};

// Makes the kit, checks it and predicts it. Takes as long as to build and simulate the schedule.
// Fails with the errors of trainingKit().
engine::Result<ClusterOutlook> outlookOf(const ClusterPlan& plan);

// The model of an experiment on hardware, with the bytes of its precision.
engine::ModelOnHardware onHardware(const engine::Experiment& experiment,
                                   engine::HardwareSpec hardware);

// What a file of the kit is: "the ops of every device in their order".
QString kitFileText(const std::string& name);
QString launcherHint(const ClusterPlan& plan, const engine::TrainingKit& kit);
// The plan of the experiment that a run stores. Fails if the run has none.
engine::Result<ClusterPlan> clusterPlanOf(const engine::Run& run);
ClusterPlan clusterPlanOf(const RunPlan& plan);

} // namespace app
