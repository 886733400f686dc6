#pragma once

#include "app/plan/run_plan.h"
#include "engine/kit/training_kit.h"
#include "profiler/analysis/compare_expected.h"
#include "profiler/analysis/link_loads.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace app {

// The plan of a training run on a cluster: the experiment, how it is launched, and the hardware
// that the prediction assumes.
struct ClusterPlan
{
    engine::Experiment experiment;
    engine::RecordedFiles recorded; // empty unless the experiment is that of a run
    engine::Launcher launcher = engine::Launcher::Torchrun;
    int gpusPerNode = 8;
    QString firstNode = QStringLiteral("node-1"); // host name or address
    int port = engine::LaunchPlace().port;
    QString hardware; // name of a preset; "": no prediction
    // Links that were measured with the kit; they replace those of `hardware`.
    std::optional<engine::LinkSpec> nodeLink, networkLink;
};

// The result of a check that runs before a kit (scripts that train with PyTorch on a cluster) is
// written. A Problem prevents writing the kit.
struct ClusterCheck
{
    enum class Level : int { Pass, Warning, Problem };

    Level level = Level::Pass;
    QString bold, text;
};

// The prediction of a kit's run on the assumed hardware.
struct ClusterPrediction
{
    std::shared_ptr<const engine::Run> run;
    profiler::RunMetrics metrics;
    profiler::LinkLoads loads;
    engine::HardwareSpec hardware;
};

// Everything that is derived from a plan: its kit, its checks and its prediction.
struct ClusterOutlook
{
    engine::TrainingKit kit;
    QString command, commandProblem; // `commandProblem` states why there is no command
    std::vector<ClusterCheck> checks;
    std::optional<ClusterPrediction> prediction;
};

QString linkText(const engine::LinkSpec& link); // "50 GB/s, 5 µs"
// Replaces the links of the plan within and between nodes by measured ones. Their bandwidth is the
// median over the measured messages, at the assumed latency. Returns false if no message was
// measured.
bool takeMeasuredLinks(const ClusterPrediction& prediction,
                       std::span<const profiler::LinkTimes> measured, ClusterPlan& plan);

// The devices of one node ("4 5 6 7"), and the data-parallel copies of the pipeline to which they
// belong.
struct NodeRow
{
    int node = 0; // counted from 0, as ranks are
    QString devices;
    int firstCopy = 0, lastCopy = 0; // counted from 0
};
std::vector<NodeRow> nodeRows(const ClusterPrediction& prediction, int copies);

// Makes the kit, checks it, and predicts its run. Most of the time goes to building and simulating
// the schedule. Fails with the errors of trainingKit().
engine::Result<ClusterOutlook> outlookOf(const ClusterPlan& plan);

// Returns the experiment's model on the given hardware. The bytes per weight follow from the
// experiment's precision.
engine::ModelOnHardware onHardware(const engine::Experiment& experiment,
                                   engine::HardwareSpec hardware);

QString launcherHint(const ClusterPlan& plan, const engine::TrainingKit& kit);
// Returns a plan for the experiment that is stored in a run. Fails if the run has no experiment.
engine::Result<ClusterPlan> clusterPlanOf(const engine::Run& run);
ClusterPlan clusterPlanOf(const RunPlan& plan);

} // namespace app
