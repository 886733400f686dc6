#include "app/cluster/cluster_page.h"
#include "engine/experiment/experiment_schedule.h"
#include "engine/schedule/formats/schedule_file.h"
#include "tests/catch.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <algorithm>

using namespace app;

namespace {

ClusterPlan planOf(const char* scheme, int devices, int copies = 1)
{
    ClusterPlan plan;
    plan.experiment.schedule.scheme = scheme;
    plan.experiment.schedule.devices = devices;
    plan.experiment.schedule.microBatches = 2 * devices;
    plan.experiment.schedule.dataParallel = copies;
    plan.gpusPerNode = 4;
    return plan;
}

const ClusterCheck* check(const ClusterOutlook& outlook, const char* bold)
{
    const auto found
        = std::ranges::find(outlook.checks, QString::fromLatin1(bold), &ClusterCheck::bold);
    return found == outlook.checks.end() ? nullptr : &*found;
}

void write(const QString& file, const QByteArray& bytes)
{
    QFile out(file);
    REQUIRE(out.open(QIODevice::WriteOnly));
    out.write(bytes);
}

} // namespace

TEST_CASE("measured links replace those of the hardware, at the assumed latency")
{
    ClusterPlan plan = planOf("1f1b", 4);
    plan.hardware = QStringLiteral("h100-sxm");
    plan.gpusPerNode = 2; // devices 1 and 2 are on different nodes
    const ClusterOutlook before = outlookOf(plan).value();
    REQUIRE(before.prediction);
    const engine::HardwareSpec& hardware = before.prediction->hardware;
    CHECK_FALSE(takeMeasuredLinks(*before.prediction, {}, plan));
    const auto* link = before.prediction->loads.find(0, 1);
    REQUIRE(link != nullptr);
    const profiler::LinkFlow& flow = link->flows.front();
    const double bytes = flow.bytes / flow.transfers;
    constexpr double kBandwidth = 5e9; // attained
    const std::vector<profiler::LinkTimes> measured{
        {flow.from, flow.to, 8, 0, 1e9 * (hardware.network.latency + bytes / kBandwidth)}};
    REQUIRE(takeMeasuredLinks(*before.prediction, measured, plan));
    REQUIRE(plan.networkLink);
    CHECK_FALSE(plan.nodeLink);
    CHECK(plan.networkLink->bandwidth == Approx(kBandwidth / hardware.linkShare));
    const ClusterOutlook after = outlookOf(plan).value();
    CHECK(after.prediction->hardware.network == *plan.networkLink);
    CHECK(after.prediction->metrics.duration > before.prediction->metrics.duration);
}

TEST_CASE("a row names the devices of a node and the copies of the pipeline that they belong to")
{
    ClusterPlan plan = planOf("1f1b", 4, 2);
    plan.hardware = QStringLiteral("h100-sxm");
    plan.gpusPerNode = 2;
    const auto rows = nodeRows(*outlookOf(plan)->prediction, 2);
    REQUIRE(rows.size() == 4);
    CHECK(rows[1].devices == QStringLiteral("2 3"));
    CHECK(rows[2].devices == QStringLiteral("0 1"));
    CHECK(rows[2].node == 2);
    CHECK(rows[2].firstCopy == 1);
    plan.gpusPerNode = 8;
    const auto whole = nodeRows(*outlookOf(plan)->prediction, 2);
    REQUIRE(whole.size() == 1);
    CHECK(whole[0].firstCopy == 0);
    CHECK(whole[0].lastCopy == 1);
}

TEST_CASE("the outlook of a plan has kit, command, checks and a prediction on the GPU")
{
    ClusterPlan plan = planOf("1f1b", 4, 2);
    plan.hardware = QStringLiteral("h100-sxm");
    const ClusterOutlook outlook = outlookOf(plan).value();
    CHECK(outlook.kit.nodes == 2);
    CHECK(outlook.command == QStringLiteral("FIRST_NODE=node-1 ./run.sh"));
    CHECK(outlook.commandProblem.isEmpty());
    REQUIRE(outlook.prediction);
    CHECK(outlook.prediction->metrics.duration > 0);
    CHECK_FALSE(outlook.prediction->run->info.inUnits());
    CHECK(outlook.prediction->run->schedule.program
          == engine::scheduleOf(plan.experiment)->program);
    CHECK(check(outlook, "Schedule valid") != nullptr);
    CHECK(check(outlook, "Safe order for NCCL")->level == ClusterCheck::Level::Pass);
    CHECK(check(outlook, "Memory fits")->text.contains(QStringLiteral("fullest on device")));
    CHECK(check(outlook, "PyTorch 2.6 or later needed")->level == ClusterCheck::Level::Warning);
    CHECK(check(outlook, "PyTorch's runtime executes it") != nullptr);
    // Copy 1 is in node 1: only all-reduces cross nodes.
    CHECK(check(outlook, "Link between nodes assumed")
              ->text.endsWith(QStringLiteral("only all-reduces cross nodes")));
}

TEST_CASE("without a GPU nothing is predicted, and a scheme of two directions brings its runtime")
{
    const ClusterOutlook outlook = outlookOf(planOf("bitpipe", 4)).value();
    CHECK_FALSE(outlook.prediction);
    CHECK(check(outlook, "Memory not predicted") != nullptr);
    CHECK(check(outlook, "The kit's runtime executes it")
              ->text.contains(QStringLiteral("only one direction")));
    ClusterPlan titan = planOf("bitpipe", 4);
    titan.launcher = engine::Launcher::Torchtitan;
    CHECK(outlookOf(titan)->command.isEmpty());
    CHECK(outlookOf(titan)->commandProblem.startsWith(QStringLiteral("Torchtitan cannot execute")));
    ClusterPlan uneven = planOf("1f1b", 6);
    const auto refused = outlookOf(uneven);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("use a divisor of 6") != std::string::npos);
}

// The prediction was the stream without a flush, which a kit does not train.
TEST_CASE("an asynchronous scheme is predicted as its kit trains it, and a check says so")
{
    ClusterPlan plan = planOf("pipedream", 4);
    plan.hardware = QStringLiteral("h100-sxm");
    const ClusterOutlook outlook = outlookOf(plan).value();
    REQUIRE(outlook.prediction);
    CHECK(outlook.prediction->run->schedule.shape.windows == 1);
    CHECK(outlook.prediction->metrics.bubbleRatio > 0);
    CHECK(check(outlook, "Pipeline drains after every iteration") != nullptr);
    CHECK(check(outlookOf(planOf("1f1b", 4)).value(), "Pipeline drains after every iteration")
          == nullptr);
}

TEST_CASE("the model that trains is the model that is predicted, in its precision")
{
    engine::Experiment experiment;
    experiment.model = engine::loadModel("small").value();
    const auto on = onHardware(experiment, engine::loadHardware("h100-sxm").value());
    CHECK(engine::parameterCount(on.model)
          == Approx(static_cast<double>(engine::parameterCount(experiment.model))).epsilon(0.02));
    CHECK(on.setup.weightBytes + on.setup.optimizerBytes
          == (experiment.model.precision == engine::Precision::Bf16 ? 14 : 12));
    experiment.model.precision = engine::Precision::Bf16;
    CHECK(onHardware(experiment, on.hardware).setup.weightBytes == 2);
    CHECK(onHardware(experiment, on.hardware).setup.activationBytes == 2);
    experiment.model.precision = engine::Precision::Tf32;
    CHECK(onHardware(experiment, on.hardware).setup.activationBytes == 4);
    // A model file can name recomputation as the kind of attention.
    for (const auto recompute : {engine::Recompute::None, engine::Recompute::Attention}) {
        experiment.model.recompute = recompute;
        experiment.model.attention = recompute == engine::Recompute::None
            ? engine::AttentionKind::Recompute
            : engine::AttentionKind::Standard;
        CHECK(onHardware(experiment, on.hardware).setup.attention
              == engine::AttentionMode::Recompute);
    }
}

// The time had no hint that it is that of another precision.
TEST_CASE("the prediction of an fp32 model says that it has the 16-bit peak of the GPU")
{
    ClusterPlan plan = planOf("1f1b", 4);
    plan.hardware = QStringLiteral("a100-sxm-80");
    plan.experiment.model.precision = engine::Precision::Tf32;
    const char* const assumed = "16-bit peak of the GPU assumed";
    const ClusterOutlook outlook = outlookOf(plan).value();
    REQUIRE(check(outlook, assumed) != nullptr);
    CHECK(check(outlook, assumed)->text
          == QStringLiteral("312 TFLOP/s; matrix products in tf32 are slower"));
    plan.experiment.model.precision = engine::Precision::Bf16;
    CHECK(check(outlookOf(plan).value(), assumed) == nullptr);
}

TEST_CASE("a set-up's ranks are divided into nodes of at most eight GPUs")
{
    RunPlan plan;
    plan.experiment.schedule.devices = 6;
    plan.experiment.schedule.dataParallel = 2;
    CHECK(clusterPlanOf(plan).gpusPerNode == 6);
    plan.experiment.schedule.devices = 4;
    CHECK(clusterPlanOf(plan).gpusPerNode == 8);
    // The devices of the form were counted.
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.csv"));
    const auto schedule = engine::scheduleOf(planOf("1f1b", 3).experiment).value();
    write(file, QByteArray::fromStdString(engine::writeCsv(schedule)));
    plan.experiment.scheduleFile = file.toStdString();
    CHECK(clusterPlanOf(plan).experiment.schedule.devices == 3);
    CHECK(clusterPlanOf(plan).gpusPerNode == 8);
    plan.experiment.schedule.dataParallel = 3;
    CHECK(clusterPlanOf(plan).gpusPerNode == 3);
    engine::Run simulated;
    CHECK_FALSE(clusterPlanOf(simulated));
}

TEST_CASE("the traces in a folder belong to the ranks in their names")
{
    CHECK(rankInName(QStringLiteral("rank3.json.gz")) == 3);
    CHECK(rankInName(QStringLiteral("trace_rank-12.json")) == 12);
    CHECK(rankInName(QStringLiteral("results-node1.tar.gz")) == -1);
    QTemporaryDir folder;
    REQUIRE(QDir(folder.path()).mkdir(QStringLiteral("results")));
    for (const auto& [name, bytes] : {std::pair("train.py", "import"),
                                      {"results/losses.jsonl", "{}"},
                                      {"results/rank1.json.gz", "\x1F\x8B"},
                                      {"results/rank0.json", "{}"},
                                      {"results/rank0.memory.pickle", "\x80\x04"}})
        write(folder.filePath(QString::fromLatin1(name)), bytes);
    ClusterResults results{folder.path(), 3, resultFiles(folder.path())};
    REQUIRE(results.files.size() == 3);
    CHECK(results.files.front().rank == 0);
    // A memory snapshot is imported with the traces, but is not the trace of its rank.
    CHECK(std::ranges::count(results.files, true, &ResultFile::isSnapshot) == 1);
    CHECK(results.states()
          == std::vector{RankState::Growing, RankState::Growing, RankState::Waiting});
    CHECK(results.complete().isEmpty());
    for (ResultFile& file : results.files)
        file.isComplete = true;
    CHECK(results.received() == 2);
    CHECK_FALSE(results.areAllThere());
    results.ranks = 2;
    CHECK(results.areAllThere());
}

TEST_CASE("a finding names the link and the ranks that took longer than expected")
{
    profiler::ExpectedComparison comparison;
    comparison.iterations = {1e6, 2e6};
    comparison.links = {{engine::DeviceId{1}, engine::DeviceId{2}, 8, 100'000, 119'000},
                        {engine::DeviceId{0}, engine::DeviceId{1}, 8, 100'000, 100'000}};
    comparison.devices
        = {{engine::DeviceId{0}, 1e6, 1, false}, {engine::DeviceId{1}, 1e6, 1.12, true}};
    engine::Run measured;
    measured.info.import.emplace();
    measured.info.import->ranks = {{5, "", "", "", 1}};
    const QString text = findingText(comparison, measured, QStringLiteral("predicted"));
    CHECK(text.startsWith(QStringLiteral("Messages from device 1 to device 2 took 19")));
    CHECK(text.contains(QStringLiteral("0.119 instead of 0.100 ms")));
    CHECK(text.contains(QStringLiteral("rank 5 (+12")));
    comparison.links.clear();
    comparison.devices.clear();
    CHECK(findingText(comparison, measured, {}).isEmpty());
}
