#pragma once

#include "app/models/plan/run_plan.h"
#include "engine/kit/training_kit.h"
#include "profiler/analysis/expected/compare_expected.h"
#include "profiler/analysis/links/link_loads.h"

#include <memory>
#include <optional>
#include <span>
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
    // Links that were measured with the kit; they replace those of `hardware`.
    std::optional<engine::LinkSpec> nodeLink, networkLink;
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

QString linkText(const engine::LinkSpec& link); // "50 GB/s, 5 µs"
// Sets the links of the plan from the messages that were measured, within nodes and
// across them: the median bandwidth at the assumed latency. Returns false if none was measured.
bool takeMeasuredLinks(const ClusterPrediction& prediction,
                       std::span<const profiler::LinkTimes> measured, ClusterPlan& plan);

// The devices of each node: "4 5 6 7", and the copy of the pipeline: 1.
struct NodeRow
{
    int node = 0; // from 0, as the ranks of results are shown
    QString devices;
    int firstCopy = 0, lastCopy = 0; // from 0
};
std::vector<NodeRow> nodeRows(const ClusterPrediction& prediction, int copies);

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
