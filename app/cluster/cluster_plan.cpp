#include "app/cluster/cluster_plan.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/model/transformer_shape.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/transfers.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using Level = ClusterCheck::Level;

engine::Result<ClusterPrediction> clusterPrediction(const ClusterPlan& plan)
{
    auto hardware = TRY(engine::loadHardware(plan.hardware.toStdString()));
    hardware.devicesPerNode = plan.gpusPerNode;
    hardware.node = plan.nodeLink.value_or(hardware.node);
    hardware.network = plan.networkLink.value_or(hardware.network);
    auto lowered = engine::kitSchedule(plan.experiment, plan.recorded);
    if (!lowered)
        return tl::unexpected(lowered.error());
    profiler::PredictionCosts costs;
    costs.model = onHardware(plan.experiment, std::move(hardware));
    costs.recomputeKeeps = engine::keptShare(*costs.model);
    // "contiguous" because rank r is device r % D of copy r / D (resources/kit/README.md).
    auto one = TRY(profiler::predictLowered(*std::move(lowered), costs, {.mapping = "contiguous"}));
    return ClusterPrediction{std::make_shared<const engine::Run>(std::move(one.run)),
                             std::move(one.metrics), *std::move(one.loads), costs.model->hardware};
}

// Returns eight GPUs per node, or for more than eight ranks the largest number up to eight that
// divides the number of ranks.
int gpusThatDivide(const engine::Experiment& experiment)
{
    constexpr int kMost = 8;
    const int ranks = experiment.schedule.devices * experiment.schedule.dataParallel;
    int gpus = kMost;
    while (ranks > gpus && ranks % gpus != 0)
        --gpus;
    return gpus;
}

ClusterCheck memoryCheck(const ClusterPrediction& prediction)
{
    const auto fullest
        = std::ranges::max_element(prediction.metrics.devices, {},
                                   [](const auto& device) { return device.peakBytes.value_or(0); });
    const auto most = static_cast<double>(fullest->peakBytes.value_or(0));
    const engine::MemoryCapacity& memory = prediction.run->info.memory;
    const QString numbers
        = QStringLiteral("%1 of %2; fullest on device %3")
              .arg(fromUtf8(engine::bytesText(std::llround(most))), fromUtf8(memory.text()))
              .arg(fullest->device.value);
    return memory.holds(most)
        ? ClusterCheck{Level::Pass, QStringLiteral("Memory fits"), numbers}
        : ClusterCheck{Level::Warning, QStringLiteral("Memory does not fit"), numbers};
}

ClusterCheck crossingCheck(const ClusterPrediction& prediction)
{
    int messages = 0, sums = 0;
    for (const profiler::LinkLoad& link : prediction.loads.links)
        if (link.from != link.to) {
            messages += link.count(profiler::LinkLoad::Of::Messages);
            sums += link.count(profiler::LinkLoad::Of::AllReduces);
        }
    const engine::LinkSpec& link = prediction.hardware.network;
    const QString crossing = sums == 0 ? countOf(messages, "message")
        : messages == 0
        ? QStringLiteral("only all-reduces")
        : QStringLiteral("%1 and parts of all-reduces").arg(countOf(messages, "message"));
    return {Level::Warning, QStringLiteral("Link between nodes assumed"),
            QStringLiteral("%1; %2 cross nodes").arg(linkText(link), crossing)};
}

// Hardware files have only the 16-bit peak.
ClusterCheck peakCheck(const engine::HardwareSpec& hardware, engine::Precision precision)
{
    return {Level::Warning, QStringLiteral("16-bit peak of the GPU assumed"),
            QStringLiteral("%1 TFLOP/s; matrix products in %2 are slower")
                .arg(number(hardware.peakFlops / 1e12, 0),
                     fromUtf8(engine::nameIn(engine::kPrecisionNames, precision)))};
}

std::vector<ClusterCheck> checksOf(const ClusterPlan& plan, const ClusterOutlook& outlook,
                                   const engine::Result<ClusterPrediction>& prediction)
{
    // The first check always passes, because trainingKit() has already refused invalid schedules.
    std::vector<ClusterCheck> checks{
        {Level::Pass, QStringLiteral("Schedule valid"),
         QStringLiteral("every op once, every input present, no deadlock")}};
    if (const auto lowered = engine::kitSchedule(plan.experiment, plan.recorded)) {
        const auto report = engine::checkCommunication(*lowered);
        const auto& nccl = report.verdicts[engine::TransportKind::Nccl];
        checks.push_back(
            nccl.safe ? ClusterCheck{Level::Pass, QStringLiteral("Safe order for NCCL"),
                                     QStringLiteral("%1; both ends have the same order")
                                         .arg(countOf(static_cast<std::int64_t>(report.messages),
                                                      "message"))}
                      : ClusterCheck{Level::Problem, QStringLiteral("Deadlock with NCCL"),
                                     fromUtf8(nccl.reason)});
    }
    if (outlook.prediction)
        checks.push_back(memoryCheck(*outlook.prediction));
    else
        checks.push_back({Level::Warning, QStringLiteral("Memory not predicted"),
                          plan.hardware.isEmpty() ? QStringLiteral("choose the GPU of the cluster")
                                                  : fromUtf8(prediction.error().message)});
    checks.push_back({Level::Warning, QStringLiteral("PyTorch 2.6 or later needed"),
                      QStringLiteral("version not known here; run.sh checks it first")});
    checks.push_back(
        outlook.kit.torchObstacle.empty()
            ? ClusterCheck{Level::Pass, QStringLiteral("PyTorch's runtime executes it"),
                           QStringLiteral("torch.csv has the schedule in PyTorch's format")}
            : ClusterCheck{Level::Pass, QStringLiteral("The kit's runtime executes it"),
                           QStringLiteral("PyTorch's own runtime cannot execute %1")
                               .arg(fromUtf8(outlook.kit.torchObstacle))});
    if (outlook.kit.drains)
        checks.push_back({Level::Warning, QStringLiteral("Pipeline drains after every iteration"),
                          QStringLiteral("an emulated run does not drain, so its iterations are "
                                         "shorter")});
    if (outlook.prediction && plan.experiment.model.precision != engine::Precision::Bf16)
        checks.push_back(peakCheck(outlook.prediction->hardware, plan.experiment.model.precision));
    if (outlook.prediction && outlook.kit.nodes > 1)
        checks.push_back(crossingCheck(*outlook.prediction));
    return checks;
}

engine::AttentionMode attentionMode(engine::AttentionKind kind)
{
    switch (kind) {
    case engine::AttentionKind::Flash:
        return engine::AttentionMode::Flash;
    case engine::AttentionKind::Recompute:
        return engine::AttentionMode::Recompute;
    case engine::AttentionKind::Standard:
        break;
    }
    return engine::AttentionMode::Standard;
}

// The schedule of the experiment may be that of a file, whose shape is not that of the request.
void setShape(const engine::Shape& shape, ClusterPlan& plan)
{
    plan.experiment.schedule.devices = shape.devices;
    plan.experiment.schedule.microBatches = shape.microBatches;
}

} // namespace

QString linkText(const engine::LinkSpec& link)
{
    return scaleIn(Unit::GBPerSecond, 0).withUnit(link.bandwidth) + QStringLiteral(", ")
        + scaleIn(Unit::Microsecond, 0).withUnit(1e9 * link.latency);
}

engine::ModelOnHardware onHardware(const engine::Experiment& experiment,
                                   engine::HardwareSpec hardware)
{
    const engine::ModelSpec& model = experiment.model;
    engine::TrainingSetup setup;
    setup.microBatchSize = model.microBatchSize;
    setup.layout = model.layout;
    setup.dataParallel = experiment.schedule.dataParallel;
    setup.reserve = experiment.reserve;
    setup.attention = attentionMode(engine::TransformerShape(model).attention.kind);
    setup.recomputesAll = model.recompute == engine::Recompute::Full;
    if (model.precision != engine::Precision::Bf16) { // fp32 needs no separate master weights
        setup.activationBytes = setup.weightBytes = 4;
        setup.optimizerBytes = 8;
    }
    return {transformerSpec(model), std::move(hardware), setup};
}

bool takeMeasuredLinks(const ClusterPrediction& prediction,
                       std::span<const profiler::LinkTimes> measured, ClusterPlan& plan)
{
    const engine::HardwareSpec& hardware = prediction.hardware;
    std::vector<double> inNode, acrossNodes; // bytes per second
    for (const profiler::LinkLoad& load : prediction.loads.links)
        for (const profiler::LinkFlow& flow : load.flows) {
            const auto times = std::ranges::find_if(measured, [&flow](const auto& link) {
                return link.from == flow.from && link.to == flow.to;
            });
            if (times == measured.end() || flow.transfers == 0 || !engine::isSend(flow.kind))
                continue;
            const bool isInside = load.from == load.to;
            const double latency = (isInside ? hardware.node : hardware.network).latency;
            const double seconds = times->measured / 1e9 - latency;
            if (seconds > 0)
                (isInside ? inNode : acrossNodes).push_back(flow.bytes / flow.transfers / seconds);
        }
    // The plan needs the specified bandwidth. A link attains only the share linkShare of it.
    if (!inNode.empty())
        plan.nodeLink = {hardware.node.latency, engine::medianOf(inNode) / hardware.linkShare};
    if (!acrossNodes.empty())
        plan.networkLink
            = {hardware.network.latency, engine::medianOf(acrossNodes) / hardware.linkShare};
    return !inNode.empty() || !acrossNodes.empty();
}

std::vector<NodeRow> nodeRows(const ClusterPrediction& prediction, int copies)
{
    const int devices = prediction.run->schedule.shape.devices;
    const int perNode = std::max(1, prediction.hardware.devicesPerNode);
    std::vector<NodeRow> rows;
    for (int rank = 0; rank < devices * copies; ++rank) {
        const int copy = rank / devices;
        if (rank % perNode == 0)
            rows.push_back({rank / perNode, {}, copy, copy});
        NodeRow& row = rows.back();
        row.devices += (row.devices.isEmpty() ? QString() : QStringLiteral(" "))
            + QString::number(rank % devices);
        row.lastCopy = copy;
    }
    return rows;
}

engine::Result<ClusterOutlook> outlookOf(const ClusterPlan& plan)
{
    auto kit = TRY(engine::trainingKit(plan.experiment, plan.gpusPerNode, plan.recorded));
    ClusterOutlook outlook;
    outlook.kit = std::move(kit);
    const std::string first = outlook.kit.nodes > 1 ? plan.firstNode.trimmed().toStdString() : "";
    if (const auto command = engine::launchCommand(outlook.kit, plan.launcher, {first, plan.port}))
        outlook.command = fromUtf8(*command);
    else
        outlook.commandProblem = capitalized(fromUtf8(command.error().message));
    engine::Result<ClusterPrediction> prediction
        = engine::fail(engine::Error::Code::NotFound, "no hardware");
    if (!plan.hardware.isEmpty())
        prediction = clusterPrediction(plan);
    if (prediction)
        outlook.prediction = *prediction;
    outlook.checks = checksOf(plan, outlook, prediction);
    return outlook;
}

QString launcherHint(const ClusterPlan& plan, const engine::TrainingKit& kit)
{
    if (plan.launcher == engine::Launcher::Slurm)
        return QStringLiteral("Run once in the folder of the kit. Slurm chooses the nodes.");
    if (plan.launcher == engine::Launcher::Torchtitan)
        return QStringLiteral("First merge titan.toml into a job file of torchtitan 0.2.2 or "
                              "earlier; the file says what later versions need. torchtitan trains "
                              "its own model with this schedule.");
    return kit.nodes > 1
        ? QStringLiteral(
              "Run on every node in the folder of the kit. Calls torchrun for %1 nodes with "
              "%2 ranks each.")
              .arg(kit.nodes)
              .arg(kit.ranksPerNode)
        : QStringLiteral("Run in the folder of the kit. Calls torchrun for %1.")
              .arg(countOf(kit.ranksPerNode, "rank"));
}

ClusterPlan clusterPlanOf(const RunPlan& plan)
{
    ClusterPlan cluster;
    cluster.experiment = plan.experiment;
    if (!plan.experiment.scheduleFile.empty())
        if (const auto schedule = engine::readScheduleFile(plan.experiment.scheduleFile))
            setShape(schedule->shape, cluster);
    cluster.gpusPerNode = gpusThatDivide(cluster.experiment);
    if (plan.source.kind == CostSource::Kind::Hardware)
        cluster.hardware = fromUtf8(plan.source.hardware);
    return cluster;
}

engine::Result<ClusterPlan> clusterPlanOf(const engine::Run& run)
{
    if (run.info.experiment.empty())
        return engine::fail(engine::Error::Code::Unsupported,
                            "The run stores no experiment, so it has no model to train. Start from "
                            "the set-up page, or from a run that was emulated or live.");
    auto experiment = TRY(engine::experimentFromToml(run.info.experiment));
    ClusterPlan plan;
    plan.experiment = std::move(experiment);
    plan.recorded = engine::recordedFiles(plan.experiment, run);
    if (plan.recorded.schedule)
        setShape(run.schedule.shape, plan);
    plan.gpusPerNode = gpusThatDivide(plan.experiment);
    return plan;
}

} // namespace app
