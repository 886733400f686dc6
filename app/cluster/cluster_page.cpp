#include "app/cluster/cluster_page.h"

#include "app/compare/compare_widget.h"
#include "app/timeline/details/details.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/cost/hardware.h"
#include "engine/model/transformer_shape.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/compare.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/report/sheet.h"
#include "profiler/store/trace_store.h"

#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QDirIterator>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMimeData>
#include <QRegularExpression>
#include <QResizeEvent>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ranges>
#include <utility>

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

namespace {

// Whether the file can be a trace. Files with losses and files of the kit are not traces.
bool isTrace(const QFileInfo& file)
{
    return !file.fileName().startsWith(QStringLiteral("losses"))
        && profiler::mayBeTrace(file.filePath().toStdString());
}

} // namespace

int rankInName(const QString& name)
{
    static const QRegularExpression kRank(QStringLiteral("rank[_-]?(\\d{1,6})"),
                                          QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kRank.match(name);
    return match.hasMatch() ? match.captured(1).toInt() : -1;
}

std::vector<ResultFile> resultFiles(const QString& folder)
{
    constexpr std::size_t kMost = 20'000;
    std::vector<ResultFile> files;
    QDirIterator each(folder, QDir::Files, QDirIterator::Subdirectories);
    while (each.hasNext() && files.size() < kMost) {
        each.next();
        const QFileInfo info = each.fileInfo();
        if (isTrace(info))
            files.push_back({info.filePath(), rankInName(info.fileName()), info.size(),
                             info.lastModified(),
                             info.fileName().endsWith(QStringLiteral(".pickle")), false});
    }
    std::ranges::sort(files, [](const ResultFile& a, const ResultFile& b) {
        return std::pair(a.rank, a.path) < std::pair(b.rank, b.path);
    });
    return files;
}

std::vector<RankState> ClusterResults::states() const
{
    std::vector<RankState> states(static_cast<std::size_t>(std::max(0, ranks)), RankState::Waiting);
    for (const ResultFile& file : files) {
        if (file.isSnapshot || file.rank < 0 || file.rank >= ranks)
            continue;
        RankState& state = states[static_cast<std::size_t>(file.rank)];
        state = std::max(state, file.isComplete ? RankState::Received : RankState::Growing);
    }
    return states;
}

QStringList ClusterResults::complete() const
{
    QStringList paths;
    for (const ResultFile& file : files)
        if (file.isComplete)
            paths.append(file.path);
    return paths;
}

bool ClusterResults::areAllThere() const
{
    return ranks > 0 && received() == ranks
        && std::ranges::all_of(files, [](const ResultFile& file) { return file.isComplete; });
}

int rankOf(const engine::Run& run, engine::DeviceId device)
{
    const auto* rank = run.info.import ? run.info.import->rankOf(device.value) : nullptr;
    return rank != nullptr ? rank->rank : device.value;
}

QString findingText(const profiler::ExpectedComparison& comparison, const engine::Run& measured,
                    const QString& expected)
{
    constexpr double kNotable = 0.05;
    QStringList sentences;
    if (!comparison.links.empty() && comparison.links.front().expected > 0) {
        const profiler::LinkTimes& link = comparison.links.front();
        const Scale time = scaleIn(Unit::Millisecond, 3);
        const double more = link.measured / link.expected - 1;
        if (more >= kNotable)
            sentences.append(
                QStringLiteral("Messages from device %1 to device %2 took %3 %4: %5 instead of "
                               "%6.")
                    .arg(link.from.value)
                    .arg(link.to.value)
                    .arg(more < 2 ? QStringLiteral("%1 longer than").arg(percent(more, 0))
                                  : QStringLiteral("%1 times as long as").arg(number(more + 1, 0)),
                         expected, time.text(link.measured), time.withUnit(link.expected)));
    }
    QStringList slow;
    for (const profiler::DeviceTimes& device : comparison.devices)
        if (device.isSlow)
            slow.append(QStringLiteral("rank %1 (%2)")
                            .arg(rankOf(measured, device.device))
                            .arg(QLatin1Char('+') + percent(device.factor - 1, 0)));
    constexpr qsizetype kMost = 6;
    if (!slow.isEmpty())
        sentences.append(QStringLiteral("Slower than the other ranks: %1%2.")
                             .arg(slow.mid(0, kMost).join(QStringLiteral(", ")),
                                  slow.size() > kMost
                                      ? QStringLiteral(" and %1 more").arg(slow.size() - kMost)
                                      : QString()));
    return sentences.join(QLatin1Char(' '));
}

ResultWatcher::ResultWatcher(QObject* parent)
    : QObject(parent)
{
    constexpr int kInterval = 1000; // ms
    m_clock.setInterval(kInterval);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        if (!m_looks.isBusy())
            m_looks.ask(m_results.folder);
    });
}

void ResultWatcher::watch(const QString& folder, int ranks)
{
    stop();
    m_looks.drop();
    m_results = {folder, ranks, {}};
    m_clock.start();
    Q_EMIT changed();
    m_looks.ask(m_results.folder);
}

void ResultWatcher::setRanks(int ranks)
{
    if (ranks == std::exchange(m_results.ranks, ranks))
        return;
    Q_EMIT changed();
}

void ResultWatcher::take(std::vector<ResultFile> found)
{
    for (ResultFile& file : found) {
        const auto before = std::ranges::find(m_results.files, file.path, &ResultFile::path);
        file.isComplete = file.bytes > 0 && before != m_results.files.end()
            && before->bytes == file.bytes && before->changed == file.changed
            && (before->isComplete || m_sinceLook.elapsed() >= m_clock.interval() / 2);
    }
    m_sinceLook.start();
    if (found == m_results.files)
        return;
    m_results.files = std::move(found);
    Q_EMIT changed();
}

namespace {

using profiler::KindTimes;

QString differenceOf(const KindTimes& row)
{
    if (row.times.front() <= 0)
        return row.times.back() > 0 ? QStringLiteral("new") : QString();
    const double share = row.times.back() / row.times.front() - 1;
    constexpr double kFactor = 9; // larger shares are shown as a factor
    if (share >= kFactor)
        return QStringLiteral("×%1").arg(number(share + 1, 0));
    return signedPercent(share, std::abs(share) < 0.095 ? 1 : 0);
}

// Marks only differences of at least 1 % of the iteration.
Verdict verdictOf(const KindTimes& row, double iteration)
{
    constexpr double kNotable = 0.01; // share of the iteration
    const double more = row.times.back() - row.times.front();
    if (std::abs(more) < kNotable * iteration)
        return Verdict::Neutral;
    return more > 0 ? Verdict::Worse : Verdict::Better;
}

// The columns of expected runs and a measured run: a column of times per run, the measured run
// last, and the differences from the first run.
std::vector<TableColumn<KindTimes>> expectedColumns(const std::vector<double>& iterations,
                                                    const QStringList& names)
{
    using Column = TableColumn<KindTimes>;
    const Scale scale = timeScale({}, static_cast<std::int64_t>(std::ranges::max(iterations)));
    std::vector<Column> columns{
        Column({QStringLiteral("Kind, %1"), scale}, &KindTimes::title, Qt::AlignLeft)
            .with(kStrongRole,
                  [](const KindTimes& row) { return QVariant(row.title == "iteration"); })};
    for (qsizetype i = 0; i < names.size(); ++i)
        columns.push_back(Column(names.at(i), [scale, i](const KindTimes& row) {
            return scale.text(row.times[static_cast<std::size_t>(i)]);
        }));
    columns.push_back(Column(QStringLiteral("Measured − %1").arg(names.value(0).toLower()),
                             [scale](const KindTimes& row) {
                                 return scale.difference(row.times.back() - row.times.front());
                             })
                          .with(kDifferenceRole, differenceOf)
                          .with(kVerdictRole, [measured = iterations.back()](const KindTimes& row) {
                              return QVariant(static_cast<int>(verdictOf(row, measured)));
                          }));
    return columns;
}

std::vector<NodeRanks> nodesOf(const std::vector<RankState>& states, int ranksPerNode)
{
    std::vector<NodeRanks> nodes;
    for (std::size_t rank = 0; rank < states.size(); ++rank) {
        const int node = static_cast<int>(rank) / std::max(1, ranksPerNode);
        if (nodes.empty() || nodes.back().node != node)
            nodes.push_back({node, {}});
        nodes.back().ranks[static_cast<std::size_t>(states[rank])].append(QString::number(rank));
    }
    return nodes;
}

std::vector<TableColumn<NodeRanks>> nodeColumns()
{
    std::vector<TableColumn<NodeRanks>> columns{{QStringLiteral("Node"), &NodeRanks::node}};
    for (const RankState each :
         {RankState::Received, RankState::Slow, RankState::Growing, RankState::Waiting}) {
        const auto state = static_cast<std::size_t>(each);
        columns.push_back(
            TableColumn<NodeRanks>(
                capitalized(QString::fromLatin1(kRankStates[state])),
                [state](const NodeRanks& row) { return row.ranks[state].join(QLatin1Char(' ')); },
                Qt::AlignLeft)
                .onlyIf([state](const NodeRanks& row) { return !row.ranks[state].isEmpty(); }));
    }
    return columns;
}

class Results : public ResultsPanel
{
public:
    Results(const ThemeController& theme, RunLibrary& library, QAction& compare)
        : m_theme(theme)
        , m_library(library)
        , m_compare(compare)
    {
        setObjectName(QStringLiteral("resultsPanel"));
        setAcceptDrops(true);
        constexpr int kIncoming = 330;
        QWidget* incoming = makeIncoming();
        incoming->setFixedWidth(kIncoming);
        spaced(new QHBoxLayout(this), {}, 28, {incoming, {makeComparison(), 1}});
        showResults();
        connect(m_stop, &QPushButton::clicked, this, [this] {
            m_watcher.stop();
            showResults();
        });
        connect(m_import, &QPushButton::clicked, this, [this] { import(results().complete()); });
        connect(&m_watcher, &ResultWatcher::changed, this, &Results::showResults);
    }
    void setOutlook(std::shared_ptr<const ClusterOutlook> outlook, const ClusterPlan& plan) override
    {
        m_outlook = std::move(outlook);
        m_plan = plan;
        m_predictedFile.clear();
        m_watcher.setRanks(m_outlook ? m_outlook->kit.ranks : 0);
        showResults();
        showImported();
    }
    void setEmulated(std::shared_ptr<RunDocument> run) override { m_emulated = std::move(run); }
    void take(const QStringList& paths) override
    {
        m_areAllImported = false;
        if (paths.size() == 1 && QFileInfo(paths.front()).isDir())
            m_watcher.watch(paths.front(), m_outlook ? m_outlook->kit.ranks : 0);
        else if (!paths.isEmpty()) {
            m_areAllImported = true; // the chosen files are not replaced by those of the folder
            import(paths);
        }
    }
    void askForFolder() override
    {
        connect(
            openFileDialog(
                {tr("Folder of the results"), {}, "resultsDialog", QFileDialog::Directory}, this),
            &QFileDialog::fileSelected, this, [this](const QString& folder) { take({folder}); });
    }
    void compare() override
    {
        if (!hasPrediction() || !m_predictedFile.isEmpty())
            return requestComparison();
        m_isPredicting = true;
        m_compare.setEnabled(false);
        showProgress(tr("Writing the prediction"));
        const auto run = m_outlook->prediction->run;
        m_background.run([run] { return writeNewRun(*run); },
                         [this, run](const engine::Result<QString>& file) {
                             m_isPredicting = false;
                             m_compare.setEnabled(true);
                             showProgress({});
                             if (!file)
                                 return showFailure(capitalized(fromUtf8(file.error().message)));
                             if (!hasPrediction() || m_outlook->prediction->run != run)
                                 return compare(); // the plan has changed
                             m_predictedFile = *file;
                             requestComparison();
                         });
    }
    ResultWatcher& watcher() override { return m_watcher; }
    const ClusterResults& results() const override { return m_watcher.results(); }
    const profiler::ExpectedComparison* comparison() const override
    {
        return m_comparison ? &*m_comparison : nullptr;
    }

protected:
    void dragEnterEvent(QDragEnterEvent* event) override
    {
        if (!localFiles(*event->mimeData()).isEmpty())
            event->acceptProposedAction();
    }
    void dropEvent(QDropEvent* event) override
    {
        event->acceptProposedAction();
        take(localFiles(*event->mimeData()));
    }

private:
    QWidget* makeIncoming()
    {
        auto* watch = makeButton(tr("Watch a folder…"), "watchResults", "", this,
                                 [this] { askForFolder(); });
        watch->setToolTip(
            tr("Choose the folder of results; traces are imported when all have arrived"));
        auto* advice = makeWrapped("", "", tr("Drop the folder or the archives of results here"));
        advice->setAlignment(Qt::AlignCenter);
        auto* frame
            = makeColumn({16, 18, 16, 18}, 10, {advice, {watch, 0, Qt::AlignHCenter}}, "alt");
        return makeColumn(
            {}, 10,
            {frame, spaced(new QHBoxLayout, {}, 8, {{m_folder, 1}, m_stop}),
             spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Ranks"), "dock"), kStretch, m_received}),
             m_nodes, m_import, m_progress, kStretch},
            "");
    }
    QWidget* makeComparison()
    {
        m_empty->setText(
            tr("Nothing has been measured. When the traces of all ranks have arrived, they "
               "are imported and compared with the prediction and with the emulated run."));
        auto* head = spaced(new QHBoxLayout, {}, 8,
                            {makeLabel(tr("Iteration by kind of time"), "dock"), kStretch,
                             makeLabel(tr("reported iteration, mean of the devices"), "hint")});
        m_shown = makeColumn({}, 10, {head, m_bars, m_times, m_finding}, "");
        auto* use = m_finding->addAction(tr("Use the measured links"), "useLinks", this,
                                         [this] { useMeasuredLinks(); });
        use->setToolTip(tr("Predicts again with the bandwidths of the measured messages"));
        m_shown->hide();
        return makeColumn({}, 0, {m_empty, m_shown, kStretch}, "");
    }
    void showResults()
    {
        const ClusterResults& results = m_watcher.results();
        const bool isWatching = m_watcher.isWatching();
        m_folder->setText(results.folder.isEmpty() ? tr("No folder is watched")
                              : isWatching         ? tr("Watching %1").arg(results.folder)
                                                   : results.folder);
        m_stop->setVisible(isWatching);
        const auto traces = std::ranges::count_if(results.files, [](const ResultFile& file) {
            return file.isComplete && !file.isSnapshot;
        });
        m_received->setText(tr("%1 of %2 received").arg(results.received()).arg(results.ranks));
        m_import->setText(tr("Import %1").arg(countOf(traces, "trace")));
        m_import->setVisible(traces > 0);
        showRanks();
        if (results.areAllThere() && !std::exchange(m_areAllImported, true))
            import(results.complete());
        Q_EMIT changed();
    }
    void showRanks()
    {
        std::vector<RankState> states = results().states();
        if (m_comparison && m_compared != nullptr)
            for (const profiler::DeviceTimes& device : m_comparison->devices) {
                const auto rank = static_cast<std::size_t>(rankOf(*m_compared, device.device));
                if (device.isSlow && rank < states.size())
                    states[rank] = RankState::Slow;
            }
        m_nodes->show(nodeColumns(), nodesOf(states, m_outlook ? m_outlook->kit.ranksPerNode : 1));
        m_nodes->fit(200);
    }
    // Shows the progress of a task and disables the import meanwhile. "": the task has ended.
    void showProgress(const QString& text)
    {
        showNote(text);
        m_import->setEnabled(text.isEmpty());
    }
    // in place of the progress
    void showNote(const QString& text)
    {
        m_progress->setText(text);
        m_progress->setVisible(!text.isEmpty());
    }
    void showFailure(const QString& reason)
    {
        showProgress({});
        m_empty->setText(reason);
        m_empty->show();
        m_shown->hide();
    }
    // Replaces an import that is running: the user chose other traces, or the missing ones have
    // arrived.
    void import(const QStringList& paths)
    {
        if (paths.isEmpty())
            return;
        m_importer = std::make_unique<TraceImporter>();
        showProgress(tr("Importing %1").arg(countOf(paths.size(), "file")));
        connect(m_importer.get(), &TraceImporter::progressed, this,
                [this](const ImportState& state) {
                    if (state.allBytes > 0)
                        showProgress(tr("Importing, %1 read")
                                         .arg(percent(static_cast<double>(state.bytes)
                                                          / static_cast<double>(state.allBytes),
                                                      0)));
                });
        const auto end = [this] { m_importer.release()->deleteLater(); };
        connect(m_importer.get(), &TraceImporter::failed, this, [this, end](const QString& reason) {
            end();
            showFailure(capitalized(reason));
        });
        connect(m_importer.get(), &TraceImporter::finished, this, [this, end](const QString& file) {
            end();
            m_measured = m_library.open(file);
            connect(m_measured.get(), &RunDocument::stateChanged, this, &Results::showImported);
            showImported();
        });
        m_importer->start(paths);
    }
    // As soon as the measured run is read, compares it with the prediction and with the emulated
    // run, if these are known.
    void showImported()
    {
        const auto isRead = [](const std::shared_ptr<RunDocument>& document) {
            return document != nullptr && document->run() != nullptr
                && document->state() == RunDocument::State::Finished;
        };
        m_compare.setEnabled(isRead(m_measured) && !m_isPredicting
                             && (isRead(m_emulated) || hasPrediction()));
        if (!isRead(m_measured))
            return;
        QStringList names;
        std::vector<RunPointer> runs;
        if (hasPrediction()) {
            names.append(tr("Predicted"));
            runs.push_back(m_outlook->prediction->run);
        }
        if (isRead(m_emulated) && !m_emulated->run()->info.inUnits()) {
            names.append(m_emulated->run()->info.mode == engine::Mode::Live ? tr("Live")
                                                                            : tr("Emulated"));
            runs.push_back(m_emulated->run());
        }
        names.append(tr("Measured"));
        runs.push_back(m_measured->run());
        if (runs.size() < 2)
            showFailure(tr("The traces were imported as %1. Choose the GPU of the cluster, "
                           "or open this page from an emulated run, to compare them.")
                            .arg(m_measured->title()));
        else
            showComparison(names, runs);
        Q_EMIT changed();
    }
    // The last run is the measured one.
    void showComparison(const QStringList& names, const std::vector<RunPointer>& all)
    {
        std::vector<const engine::Run*> runs;
        for (const RunPointer& run : all)
            runs.push_back(run.get());
        auto comparison = profiler::compareExpected(runs);
        if (!comparison)
            return showFailure(capitalized(fromUtf8(comparison.error().message)));
        m_comparison = *std::move(comparison);
        m_compared = all.back();
        showProgress({});
        m_empty->hide();
        m_shown->show();
        auto rows = m_comparison->kinds;
        rows.push_back({"iteration", {}, m_comparison->iterations});
        m_times->show(expectedColumns(m_comparison->iterations, names), std::move(rows));
        m_times->fit();
        const auto shares = profiler::compare(runs);
        const Scale time
            = timeScale({}, static_cast<std::int64_t>(std::ranges::max(m_comparison->iterations)));
        m_bars->setFixedHeight(static_cast<int>(30 * runs.size()) + 60);
        if (shares)
            m_bars->draw([names, all = shares->runs, time](const ChartLook& look) {
                std::vector<BarRow> bars;
                for (std::size_t i = 0; i < all.size(); ++i)
                    bars.push_back(timeRow(i, names.at(static_cast<qsizetype>(i)), all[i], time,
                                           look.palette));
                return barChart({}, bars, time, look);
            });
        const QString finding = findingText(*m_comparison, *m_compared, names.front().toLower());
        m_finding->show(finding.isEmpty() ? Band::Kind::Ok : Band::Kind::Warning, {},
                        finding.isEmpty() ? tr("No link and no rank stands out.") : finding);
        showRanks();
    }
    void useMeasuredLinks()
    {
        const profiler::ExpectedComparison* measured = comparison();
        ClusterPlan plan = m_plan;
        if (measured == nullptr || !hasPrediction()
            || !takeMeasuredLinks(*m_outlook->prediction, measured->links, plan))
            return showNote(tr("The link bandwidths cannot be measured: no message took "
                               "longer than the assumed latency."));
        Q_EMIT linksMeasured(plan);
    }
    void requestComparison()
    {
        QStringList files;
        if (!m_predictedFile.isEmpty())
            files.append(m_predictedFile);
        if (m_emulated != nullptr)
            files.append(m_emulated->file());
        if (m_measured != nullptr)
            files.append(m_measured->file());
        Q_EMIT compareRequested(files);
    }
    bool hasPrediction() const { return m_outlook && m_outlook->prediction; }

    const ThemeController& m_theme;
    RunLibrary& m_library;
    QAction& m_compare;
    Background m_background{this};
    ResultWatcher m_watcher;
    std::shared_ptr<const ClusterOutlook> m_outlook;
    ClusterPlan m_plan;
    std::unique_ptr<TraceImporter> m_importer; // nullptr: no import is running
    bool m_areAllImported = false; // whether all ranks, or all files of take(), are imported
    QString m_predictedFile;       // written by compare()
    bool m_isPredicting = false;   // m_predictedFile is being written
    std::shared_ptr<RunDocument> m_emulated, m_measured;
    std::optional<profiler::ExpectedComparison> m_comparison; // with m_compared
    RunPointer m_compared;                                    // the measured run
    RowTable<profiler::KindTimes>* m_times
        = new RowTable<profiler::KindTimes>(m_theme, 26, "expectedTable", tr("Times by kind"));
    RowTable<NodeRanks>* m_nodes
        = new RowTable<NodeRanks>(m_theme, 26, "rankTable", tr("Ranks"), 1); // 1: received
    QLabel *m_folder = makeWrapped("small", "watchedFolder"),
           *m_received = named(makeLabel({}, "hint"), "ranksReceived"),
           *m_progress = makeWrapped("small", "importProgress"),
           *m_empty = makeWrapped("secondary", "resultsEmpty");
    QPushButton *m_stop = makeButton(tr("Stop"), "stopWatching", "link"),
                *m_import = makeButton(QString(), "importReceived");
    SceneView* m_bars = named(new SceneView(m_theme, [](std::size_t) { return QString(); }),
                              "threeWays", tr("Iteration of every run"));
    Band* m_finding = named(new Band(m_theme, Band::Shape::Verdict), "clusterFinding");
    QWidget* m_shown;
};

} // namespace

ResultsPanel* ResultsPanel::make(const ThemeController& theme, RunLibrary& library,
                                 QAction& compare)
{
    return new Results(theme, library, compare);
}

namespace {

struct Writing // of a kit, shared with its thread
{
    std::atomic<bool> isCancelled = false;
    std::atomic<int> percent = 0;
};

using Level = ClusterCheck::Level;

// "4 pass, 2 warnings", "1 problem"
QString checksText(const std::vector<ClusterCheck>& checks)
{
    const auto count = [&](Level level) {
        return static_cast<std::int64_t>(std::ranges::count(checks, level, &ClusterCheck::level));
    };
    QStringList parts;
    if (count(Level::Problem) > 0)
        parts.append(countOf(count(Level::Problem), "problem"));
    if (count(Level::Pass) > 0)
        parts.append(QStringLiteral("%1 pass").arg(count(Level::Pass)));
    if (count(Level::Warning) > 0)
        parts.append(countOf(count(Level::Warning), "warning"));
    return parts.join(QStringLiteral(", "));
}

std::vector<TableColumn<ClusterCheck>> checkColumns()
{
    using Row = ClusterCheck;
    return {TableColumn<Row>(QObject::tr("Check"), &Row::bold, Qt::AlignLeft).flag(kStrongRole),
            TableColumn<Row>(
                QObject::tr("Result"),
                [](const Row& row) {
                    return row.level == Level::Pass   ? QObject::tr("passed")
                        : row.level == Level::Warning ? QObject::tr("warning")
                                                      : QObject::tr("problem");
                },
                Qt::AlignLeft)
                .with(kExceedsRole,
                      [](const Row& row) { return QVariant(row.level == Level::Problem); }),
            TableColumn<Row>(QObject::tr("Finding"), &Row::text, Qt::AlignLeft)
                .flag(kHintRole)
                .tip(&Row::text)};
}

std::vector<TableColumn<engine::KitFile>> fileColumns()
{
    using Row = engine::KitFile;
    return {{QObject::tr("File"), &Row::name, Qt::AlignLeft},
            {QObject::tr("KB"),
             [](const Row& row) { return number(static_cast<double>(row.text.size()) / 1e3, 1); }},
            TableColumn<Row>(
                QObject::tr("Purpose"),
                [](const Row& row) { return fromUtf8(engine::kitFilePurpose(row.name)); },
                Qt::AlignLeft)
                .flag(kHintRole)};
}

QString nodeTitle(const NodeRow& row)
{
    return row.firstCopy == row.lastCopy
        ? QObject::tr("Node %1, pipeline %2").arg(row.node).arg(row.firstCopy)
        : QObject::tr("Node %1, pipelines %2 to %3")
              .arg(row.node)
              .arg(row.firstCopy)
              .arg(row.lastCopy);
}

Details describe(const ClusterPrediction& prediction, const ClusterPlan& plan)
{
    constexpr std::size_t kMostRows = 16;
    const profiler::ReportedRun reported{*prediction.run, prediction.metrics};
    const engine::HardwareSpec& hardware = prediction.hardware;
    Details details;
    details.title = fromUtf8(hardware.name);
    details.left = QObject::tr("assumed");
    DetailsSection numbers;
    for (const profiler::Fact& fact : profiler::facts(profiler::runMeasures(), reported))
        numbers.add(fromUtf8(fact.of.title), fromUtf8(readingText(fact.value, fact.of)));
    numbers.add(QObject::tr("Exposed communication"),
                timeScale(prediction.run->info, prediction.metrics.duration)
                    .withUnit(prediction.loads.exposed.sum()));
    numbers.add(plan.nodeLink ? QObject::tr("Link in a node, measured")
                              : QObject::tr("Link in a node"),
                linkText(hardware.node));
    numbers.add(plan.networkLink ? QObject::tr("Link between nodes, measured")
                                 : QObject::tr("Link between nodes"),
                linkText(hardware.network));
    DetailsSection nodes;
    nodes.title = QObject::tr("Devices of each node");
    const auto rows = nodeRows(prediction, plan.experiment.schedule.dataParallel);
    for (const NodeRow& row : rows | std::views::take(kMostRows))
        nodes.add(nodeTitle(row), row.devices);
    if (rows.size() > kMostRows)
        nodes.add(QObject::tr("and %1 more nodes").arg(rows.size() - kMostRows), {});
    details.sections = {std::move(numbers), std::move(nodes)};
    return details;
}

// A step of the page, with `note` at the right.
QWidget* makeStep(const QString& title, QLabel* note, QWidget* content)
{
    auto* part = makeColumn(
        {16, 16, 16, 16}, 14,
        {spaced(new QHBoxLayout, {}, 12, {{makeLabel(title, "section"), 1}, note}), content}, "");
    return part;
}

// Runs an experiment on a cluster: writes a kit, checks it, and imports the results to compare them
// with the prediction and with a run of this machine. Nothing is written or copied while the kit of
// a changed plan is being made, because it would be the kit of the earlier plan.
class Cluster : public ClusterPage
{
public:
    // Opens the page for `plan`, the plan of a set-up, or for `emulated`, a run that recorded its
    // experiment.
    Cluster(const ThemeController& theme, RunLibrary& library, const ClusterPlan& plan)
        : Cluster(theme, library)
    {
        showPlan(plan);
    }

    Cluster(const ThemeController& theme, RunLibrary& library,
            std::shared_ptr<RunDocument> emulated)
        : Cluster(theme, library)
    {
        m_emulated = std::move(emulated);
        m_results->setEmulated(m_emulated);
        connect(m_emulated.get(), &RunDocument::stateChanged, this, &Cluster::takeDocument);
        takeDocument();
    }

    ~Cluster() override
    {
        if (m_writing)
            m_writing->isCancelled = true;
    }

    QString title() const override { return tr("Run on a cluster"); }
    QJsonObject state() const override // of a plan; a run is reopened from its file
    {
        if (m_emulated != nullptr)
            return {};
        return {{QStringLiteral("experiment"), fromUtf8(engine::toToml(m_plan.experiment))},
                {QStringLiteral("launcher"), static_cast<int>(m_plan.launcher)},
                {QStringLiteral("gpusPerNode"), m_plan.gpusPerNode},
                {QStringLiteral("firstNode"), m_plan.firstNode},
                {QStringLiteral("port"), m_plan.port},
                {QStringLiteral("hardware"), m_plan.hardware}};
    }
    void restoreState(const QJsonObject& state) override
    {
        const auto experiment = engine::experimentFromToml(
            state.value(QStringLiteral("experiment")).toString().toStdString());
        if (m_emulated != nullptr || !experiment)
            return;
        ClusterPlan plan = m_plan;
        plan.experiment = *experiment;
        plan.launcher = static_cast<engine::Launcher>(
            std::clamp(state.value(QStringLiteral("launcher")).toInt(), 0,
                       static_cast<int>(engine::Launcher::Torchtitan)));
        plan.gpusPerNode
            = std::clamp(state.value(QStringLiteral("gpusPerNode")).toInt(), 1, 1 << 10);
        plan.firstNode = state.value(QStringLiteral("firstNode")).toString();
        plan.port = std::clamp(state.value(QStringLiteral("port")).toInt(), 1, 0xFFFF);
        plan.hardware = state.value(QStringLiteral("hardware")).toString();
        showPlan(plan);
    }

    QStringList statusTexts() const override
    {
        if (!m_outlook)
            return {tr("<b>Kit</b>")};
        QStringList texts{tr("<b>Kit</b> %1").arg(m_source.toHtmlEscaped()),
                          countOf(m_outlook->kit.ranks, "rank")};
        if (!m_written.isEmpty())
            texts.append(tr("written"));
        if (!m_results->results().folder.isEmpty())
            texts.append(tr("%1 of %2 ranks received")
                             .arg(m_results->results().received())
                             .arg(m_results->results().ranks));
        return texts;
    }

    QString statusNote() const override
    {
        if (!m_outlook || !m_outlook->prediction)
            return {};
        const ClusterPrediction& prediction = *m_outlook->prediction;
        return tr("predicted %1").arg(timeText(prediction.metrics.duration, prediction.run->info));
    }

    void writeTo(const QString& folder, engine::IfExists ifExists) override
    {
        if (!isCurrent() || m_writing)
            return;
        m_isOutdated = false;
        m_writing = std::make_shared<Writing>();
        m_writtenText->setText(tr("Writing"));
        m_progress.start();
        enableActions();
        const auto progress = [writing = m_writing](std::size_t done, std::size_t all) {
            writing->percent = static_cast<int>(100 * done / std::max<std::size_t>(1, all));
            return !writing->isCancelled;
        };
        m_background.run(
            [outlook = m_outlook, folder, ifExists, progress] {
                return engine::writeKit(outlook->kit, folder.toStdString(), ifExists, progress);
            },
            [this, folder](const engine::Result<void>& written) {
                m_writing.reset();
                m_progress.stop();
                enableActions();
                if (written)
                    kitWritten(folder);
                else
                    m_writtenText->setText(capitalized(fromUtf8(written.error().message)));
            });
    }

    // nullptr: opened for a set-up.
    const RunDocument* document() const override { return m_emulated.get(); }
    const ClusterOutlook* outlook() const override { return m_outlook.get(); }
    ResultsPanel& results() override { return *m_results; }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kFoldDock = 1240;
        Page::resizeEvent(event);
        m_dock->setVisible(event->size().width() >= kFoldDock);
    }

private:
    Cluster(const ThemeController& theme, RunLibrary& library)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("clusterPage"));
        makeActions();
        makeFields();
        m_results = ResultsPanel::make(theme, library, *m_compare);
        m_dock = makeDock();
        spaced(new QHBoxLayout(this), {}, 0,
               {{makeScroll(makeCentre()), 1}, makeLine(Qt::Vertical), m_dock});
        connect(&m_theme, &ThemeController::unitsChanged, this, &Cluster::showOutlook);
        connect(m_results, &ResultsPanel::changed, this, &Cluster::statusChanged);
        connect(m_results, &ResultsPanel::compareRequested, this, [this](const QStringList& files) {
            Q_EMIT pageRequested({"compare", files});
        });
        connect(m_results, &ResultsPanel::linksMeasured, this, [this](const ClusterPlan& plan) {
            m_plan.nodeLink = plan.nodeLink;
            m_plan.networkLink = plan.networkLink;
            edited();
        });
        m_progress.setInterval(100);
        connect(&m_progress, &QTimer::timeout, this,
                [this] { m_writtenText->setText(tr("Writing, %1 %").arg(m_writing->percent)); });
    }

    void makeActions()
    {
        m_write = makeAction("writeKitAction", tr("&Write kit…"), tr("Ctrl+S"),
                             [this] { askForKitFolder(); });
        m_archive = makeAction(
            "writeArchiveAction", tr("Write kit as an &archive…"), {}, [this] { askForArchive(); },
            tr("write the kit as one file, to copy to the cluster"));
        m_watch = makeAction("watchAction", tr("Watch a folder of &results…"), tr("Ctrl+Shift+W"),
                             [this] { m_results->askForFolder(); });
        m_compare = makeAction(
            "compareCluster", tr("&Compare the runs"), tr("Ctrl+Return"),
            [this] { m_results->compare(); },
            tr("compare prediction, emulated run and measured run op by op"));
        m_copy = makeAction("copyCluster", tr("Copy the &command"), tr("Ctrl+Shift+C"), [this] {
            copyText(m_outlook->command);
            m_writtenText->setText(tr("Copied."));
        });
        for (QAction* action : {m_write, m_archive, m_compare, m_copy})
            action->setEnabled(false);
        inMenu(Menu::File, {m_write, m_archive, m_watch});
        inMenu(Menu::Run, {m_copy});
        inMenu(Menu::Compare, {m_compare});
    }

    void makeFields()
    {
        m_launcher->setName(tr("Launcher"));
        for (const auto& [field, most] : {std::pair(m_gpus, 1024), {m_port, 65535}}) {
            field->setRange(1, most);
            field->setFixedWidth(84);
        }
        m_hardware->addItem(tr("not known"));
        for (const std::string& name : engine::hardwareNames())
            m_hardware->addItem(fromUtf8(name));
        m_hardware->setToolTip(tr("Predict the iteration and the memory on this GPU"));
        m_first->setPlaceholderText(tr("host name or address"));
        m_command->setReadOnly(true);
        m_command->setFont(codeFont(12));
        m_cancel->hide();
        connect(m_launcher, &SegmentControl::currentChanged, this, [this](int launcher) {
            m_plan.launcher = static_cast<engine::Launcher>(launcher);
            edited();
        });
        const auto set = [this](auto member) {
            return [this, member](const auto& value) {
                m_plan.*member = value;
                edited();
            };
        };
        connect(m_gpus, &QSpinBox::valueChanged, this, set(&ClusterPlan::gpusPerNode));
        connect(m_port, &QSpinBox::valueChanged, this, set(&ClusterPlan::port));
        connect(m_first, &QLineEdit::textChanged, this, set(&ClusterPlan::firstNode));
        connect(m_hardware, &QComboBox::currentIndexChanged, this, [this](int index) {
            m_plan.hardware = index > 0 ? m_hardware->currentText() : QString();
            m_plan.nodeLink = m_plan.networkLink = std::nullopt;
            edited();
        });
    }

    QWidget* makeKit()
    {
        auto* kit = new QWidget; // as wide as its fields need
        kit->setMaximumWidth(760);
        const auto row = [](std::initializer_list<Cell> cells) {
            return spaced(new QHBoxLayout, {}, 10, cells);
        };
        auto* form = new QFormLayout(kit);
        form->setContentsMargins({});
        form->setHorizontalSpacing(14);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        form->addRow(tr("Run"), m_run);
        form->addRow(tr("GPU"), m_hardware);
        form->addRow(tr("Launcher"), row({m_launcher, kStretch}));
        form->addRow(tr("GPUs per node"), row({m_gpus, {m_ranks, 1}}));
        form->addRow(tr("First node"), row({{m_first, 1}, makeLabel(tr("Port")), m_port}));
        form->addRow(tr("Command"),
                     row({{m_command, 1}, makeButton(tr("Copy"), "copyLaunch", "", m_copy)}));
        form->addRow({}, m_hint);
        form->addRow({},
                     row({makeButton(tr("Write kit…"), "writeKit", "primary", m_write),
                          makeButton(tr("Write .zip…"), "writeKitArchive", "", m_archive),
                          m_cancel,
                          {m_writtenText, 1}}));
        form->addRow(tr("Kit"), m_contents);
        form->addRow({}, m_files);
        return makeRow({}, 0, {{kit, 100}, kStretch}, "");
    }

    QWidget* makeCentre()
    {
        return makeColumn(
            {}, 0,
            {makeBar(
                 40, 10,
                 {makeLabel(tr("Run on a cluster"), "section"),
                  makeLabel(tr("Write a kit, start it on the cluster, and bring the results back."),
                            "small"),
                  kStretch}),
             makeLine(Qt::Horizontal), makeStep(tr("1 What to run"), makeLabel({}), makeKit()),
             makeLine(Qt::Horizontal), makeStep(tr("2 Checks"), m_checkNote, m_checks),
             makeLine(Qt::Horizontal),
             makeStep(tr("3 Bring the results back"), makeLabel({}), m_results), kStretch});
    }

    QWidget* makeDock()
    {
        auto* button = makeButton(tr("Compare"), "compareClusterButton", "", m_compare);
        auto* dock = makeLined({makeBar(40, 8,
                                        {makeLabel(tr("Prediction"), "dock"),
                                         new Tag(m_theme, tr("simulated")), kStretch}),
                                {m_facts, 1},
                                makeFoot({{button, 1}})});
        dock->setFixedWidth(290);
        return dock;
    }

    void takeDocument()
    {
        if (m_emulated->run() == nullptr)
            return;
        disconnect(m_emulated.get(), &RunDocument::stateChanged, this, nullptr);
        auto plan = clusterPlanOf(*m_emulated->run());
        m_source = m_emulated->title();
        setPlan(plan.value_or(ClusterPlan()));
        if (plan)
            return ask();
        m_emulated.reset();
        m_results->setEmulated(nullptr);
        take(tl::unexpected(plan.error()));
    }

    void showPlan(const ClusterPlan& plan) // of a set-up
    {
        m_source = tr("Set-up of %1").arg(schemeTitle(fromUtf8(plan.experiment.schedule.scheme)));
        setPlan(plan);
        ask();
    }

    void setPlan(const ClusterPlan& plan)
    {
        m_isShowing = true;
        m_plan = plan;
        const engine::Experiment& experiment = plan.experiment;
        const engine::ModelSpec& model = experiment.model;
        m_run->setText(tr("%1: D %2, N %3, W %4; %5, %6, %7")
                           .arg(m_source, QString::number(experiment.schedule.devices),
                                QString::number(experiment.schedule.microBatches),
                                QString::number(experiment.schedule.dataParallel),
                                fromUtf8(model.name),
                                fromUtf8(engine::nameIn(engine::kPrecisionNames, model.precision)),
                                countOf(model.layers, "layer"))
                       + tr(", sequence %1, micro-batch size %2")
                             .arg(model.sequence)
                             .arg(model.microBatchSize));
        m_launcher->setCurrent(static_cast<int>(plan.launcher));
        m_gpus->setValue(plan.gpusPerNode);
        m_port->setValue(plan.port);
        m_first->setText(plan.firstNode);
        m_hardware->setCurrentIndex(std::max(0, m_hardware->findText(plan.hardware)));
        m_isShowing = false;
        m_writtenText->clear();
    }

    void edited()
    {
        if (m_isShowing)
            return;
        m_written.clear();
        m_isOutdated = true;
        if (!m_writing)
            m_writtenText->clear();
        ask();
    }

    void ask()
    {
        m_outlooks.ask(m_plan);
        enableActions();
    }

    // Returns true if m_outlook is the outlook of the current plan.
    bool isCurrent() const { return m_outlook != nullptr && !m_outlooks.isBusy(); }

    void enableActions()
    {
        for (QAction* action : {m_write, m_archive})
            action->setEnabled(isCurrent() && !m_writing);
        m_cancel->setVisible(m_writing != nullptr);
        m_copy->setEnabled(isCurrent() && !m_outlook->command.isEmpty());
    }

    void take(engine::Result<ClusterOutlook> outlook)
    {
        m_problem = outlook ? QString() : capitalized(fromUtf8(outlook.error().message));
        m_outlook.reset();
        if (outlook)
            m_outlook = std::make_shared<const ClusterOutlook>(*std::move(outlook));
        showOutlook();
    }

    void showOutlook()
    {
        const std::vector<ClusterCheck> checks = m_outlook
            ? m_outlook->checks
            : std::vector<ClusterCheck>{{Level::Problem, tr("No kit"), m_problem}};
        m_checks->show(checkColumns(), checks);
        m_checks->fit();
        m_checkNote->setText(tr("%1; checked again at each change").arg(checksText(checks)));
        showKit();
        enableActions();
        m_facts->show(m_outlook && m_outlook->prediction ? describe(*m_outlook->prediction, m_plan)
                                                         : Details());
        m_results->setOutlook(m_outlook, m_plan);
    }

    void showKit()
    {
        const bool usesFirst = m_plan.launcher != engine::Launcher::Slurm;
        m_first->setEnabled(usesFirst && (!m_outlook || m_outlook->kit.nodes > 1));
        m_port->setEnabled(m_first->isEnabled() || !usesFirst);
        const engine::TrainingKit kit = m_outlook ? m_outlook->kit : engine::TrainingKit();
        m_files->show(fileColumns(), kit.files);
        m_files->fit();
        m_command->setText(m_outlook ? m_outlook->command : QString());
        m_command->setCursorPosition(0);
        if (!m_outlook) {
            m_ranks->clear();
            m_contents->clear();
            return m_hint->setText(m_problem);
        }
        m_ranks->setText(tr("%1, %2").arg(countOf(kit.nodes, "node"), countOf(kit.ranks, "rank"))
                         + tr(" = D %1 × W %2")
                               .arg(m_plan.experiment.schedule.devices)
                               .arg(m_plan.experiment.schedule.dataParallel));
        m_hint->setText(m_outlook->commandProblem.isEmpty() ? launcherHint(m_plan, kit)
                                                            : m_outlook->commandProblem);
        m_contents->setText(
            (kit.torchObstacle.empty()
                 ? tr("PyTorch's pipeline runtime executes the schedule.")
                 : tr("The kit includes a runtime, because PyTorch's pipeline runtime cannot "
                      "execute %1.")
                       .arg(fromUtf8(kit.torchObstacle)))
            + tr(" Results: losses and one trace per rank."));
    }

    void askForKitFolder()
    {
        auto* dialog = openFileDialog({tr("Folder of the kit: a new one, or one to replace"),
                                       {},
                                       "kitFolderDialog",
                                       QFileDialog::Directory},
                                      this);
        dialog->setOption(QFileDialog::ShowDirsOnly, true);
        dialog->setLabelText(QFileDialog::Accept, tr("Write kit"));
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
            // A kit needs a separate folder. Uses the chosen folder if it is empty or already
            // contains a kit (train.py), otherwise a new folder in it.
            const QDir folder(chosen);
            const bool isOwn = folder.isEmpty() || folder.exists(QStringLiteral("train.py"));
            writeTo(isOwn ? chosen : folder.filePath(kitName()),
                    isOwn ? engine::IfExists::Replace : engine::IfExists::Refuse);
        });
    }

    void askForArchive()
    {
        auto* dialog
            = openFileDialog({tr("Archive of the kit"), tr("Archives (*.zip *.tar.gz *.tgz)"),
                              "kitArchiveDialog", QFileDialog::AnyFile},
                             this);
        dialog->setAcceptMode(QFileDialog::AcceptSave); // asks before a file is replaced
        dialog->setDefaultSuffix(QStringLiteral("zip"));
        dialog->selectFile(kitName() + QStringLiteral(".zip"));
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
            const bool isArchive = engine::folderInArchive(chosen.toStdString()).has_value();
            writeTo(isArchive ? chosen : chosen + QStringLiteral(".zip"),
                    isArchive ? engine::IfExists::Replace : engine::IfExists::Refuse);
        });
    }

    QString kitName() const
    {
        return QStringLiteral("kit-%1").arg(fromUtf8(m_plan.experiment.schedule.scheme));
    }

    void kitWritten(const QString& folder)
    {
        if (m_isOutdated)
            return m_writtenText->setText(
                tr("Written to %1 as set up before the last change.").arg(folder));
        m_written = folder;
        m_writtenText->setText(tr("Written to %1.").arg(folder));
        // Watches the folder of the kit, because the results arrive there on a shared file system.
        if (QFileInfo(folder).isDir() && !m_results->watcher().isWatching()
            && m_results->results().folder.isEmpty())
            m_results->take({folder});
        Q_EMIT statusChanged();
    }

    const ThemeController& m_theme;
    Latest<ClusterPlan, engine::Result<ClusterOutlook>> m_outlooks{
        this, [](const ClusterPlan& plan) { return outlookOf(plan); },
        [this](engine::Result<ClusterOutlook> outlook) { take(std::move(outlook)); }};
    Background m_background{this};
    std::shared_ptr<Writing> m_writing; // nullptr: no kit is being written
    QTimer m_progress;
    ClusterPlan m_plan;
    std::shared_ptr<const ClusterOutlook> m_outlook; // nullptr: not computed yet, or failed
    QString m_problem;                               // why there is no outlook
    bool m_isShowing = false;                        // setPlan() is setting the fields
    bool m_isOutdated = false;   // the plan has changed since the last kit began to be written
    QString m_source, m_written; // m_written: folder or archive of the plan's kit; "": none
    std::shared_ptr<RunDocument> m_emulated;
    QAction *m_write, *m_archive, *m_watch, *m_compare, *m_copy;
    QLabel *m_run = makeWrapped("", "clusterRun"),
           *m_ranks = named(makeLabel({}, "small"), "clusterRanks"),
           *m_hint = makeWrapped("hint", "launchHint"),
           *m_writtenText = makeWrapped("hint", "kitWritten"),
           *m_contents = makeWrapped("small", "kitContents"),
           *m_checkNote = named(makeLabel({}, "hint"), "checksNote");
    SegmentControl* m_launcher = named(
        new SegmentControl(m_theme, {tr("torchrun"), tr("Slurm"), tr("torchtitan")}), "launcher");
    SpinField *m_gpus = named(new SpinField(m_theme), "gpusPerNode", tr("GPUs per node")),
              *m_port = named(new SpinField(m_theme), "port", tr("Port"));
    QLineEdit *m_first = named(new QLineEdit, "firstNode", tr("First node")),
              *m_command = named(new QLineEdit, "launchCommand", tr("Command"));
    QComboBox* m_hardware = named(new QComboBox, "clusterHardware", tr("GPU of the cluster"));
    RowTable<ClusterCheck>* m_checks
        = new RowTable<ClusterCheck>(m_theme, 24, "clusterChecks", tr("Checks"), 2);
    RowTable<engine::KitFile>* m_files
        = new RowTable<engine::KitFile>(m_theme, 22, "kitFiles", tr("Files of the kit"), 2);
    QPushButton* m_cancel = makeButton(tr("Cancel"), "cancelKit", "", this,
                                       [this] { m_writing->isCancelled = true; });
    ResultsPanel* m_results;
    DetailsView* m_facts = new DetailsView(
        m_theme, "clusterFacts", tr("Prediction"),
        {Icon::Info,
         tr("No prediction"),
         tr("Choose the GPU of the cluster to predict its iteration and its memory."),
         {}});
    QWidget* m_dock;
};

} // namespace

ClusterPage* ClusterPage::make(const ThemeController& theme, RunLibrary& library,
                               const ClusterPlan& plan)
{
    return new Cluster(theme, library, plan);
}

ClusterPage* ClusterPage::make(const ThemeController& theme, RunLibrary& library,
                               const std::shared_ptr<RunDocument>& emulated)
{
    return new Cluster(theme, library, emulated);
}

} // namespace app
