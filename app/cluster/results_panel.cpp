#include "app/cluster/results_panel.h"

#include "app/compare/compare_numbers.h"
#include "app/ui/band.h"
#include "app/ui/file_dialog.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/analysis/compare.h"
#include "profiler/store/trace_store.h"

#include <QAction>
#include <QDirIterator>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMimeData>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
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

int ClusterResults::received() const
{
    return static_cast<int>(std::ranges::count(states(), RankState::Received));
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

} // namespace

ResultsPanel::ResultsPanel(const ThemeController& theme, RunLibrary& library, QAction& compare)
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
    connect(&m_watcher, &ResultWatcher::changed, this, &ResultsPanel::showResults);
}

QWidget* ResultsPanel::makeIncoming()
{
    auto* watch = makeButton(tr("Watch a folder…"), QStringLiteral("watchResults"));
    watch->setToolTip(
        tr("Choose the folder of results; traces are imported when all have arrived"));
    connect(watch, &QPushButton::clicked, this, &ResultsPanel::askForFolder);
    auto* advice = makeWrapped("", "", tr("Drop the folder or the archives of results here"));
    advice->setAlignment(Qt::AlignCenter);
    auto* frame = makeColumn({16, 18, 16, 18}, 10, {advice, {watch, 0, Qt::AlignHCenter}}, "alt");
    return makeColumn(
        {}, 10,
        {frame, spaced(new QHBoxLayout, {}, 8, {{m_folder, 1}, m_stop}),
         spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Ranks"), "dock"), kStretch, m_received}),
         m_nodes, m_import, m_progress, kStretch},
        "");
}

QWidget* ResultsPanel::makeComparison()
{
    m_empty->setText(
        tr("Nothing has been measured. When the traces of all ranks have arrived, they "
           "are imported and compared with the prediction and with the emulated run."));
    auto* head = spaced(new QHBoxLayout, {}, 8,
                        {makeLabel(tr("Iteration by kind of time"), "dock"), kStretch,
                         makeLabel(tr("reported iteration, mean of the devices"), "hint")});
    m_shown = makeColumn({}, 10, {head, m_bars, m_times, m_finding}, "");
    auto* use = m_finding->addAction(tr("Use the measured links"), QStringLiteral("useLinks"));
    use->setToolTip(tr("Predicts again with the bandwidths of the measured messages"));
    connect(use, &QPushButton::clicked, this, &ResultsPanel::useMeasuredLinks);
    m_shown->hide();
    return makeColumn({}, 0, {m_empty, m_shown, kStretch}, "");
}

void ResultsPanel::setOutlook(std::shared_ptr<const ClusterOutlook> outlook,
                              const ClusterPlan& plan)
{
    m_outlook = std::move(outlook);
    m_plan = plan;
    m_predictedFile.clear();
    m_watcher.setRanks(m_outlook ? m_outlook->kit.ranks : 0);
    showResults();
    showImported();
}

void ResultsPanel::askForFolder()
{
    connect(openFileDialog(
                {tr("Folder of the results"), {}, "resultsDialog", QFileDialog::Directory}, this),
            &QFileDialog::fileSelected, this, [this](const QString& folder) { take({folder}); });
}

void ResultsPanel::take(const QStringList& paths)
{
    m_areAllImported = false;
    if (paths.size() == 1 && QFileInfo(paths.front()).isDir())
        m_watcher.watch(paths.front(), m_outlook ? m_outlook->kit.ranks : 0);
    else if (!paths.isEmpty()) {
        m_areAllImported = true; // the chosen files are not replaced by those of the folder
        import(paths);
    }
}

void ResultsPanel::showResults()
{
    const ClusterResults& results = m_watcher.results();
    const bool isWatching = m_watcher.isWatching();
    m_folder->setText(results.folder.isEmpty() ? tr("No folder is watched")
                          : isWatching         ? tr("Watching %1").arg(results.folder)
                                               : results.folder);
    m_stop->setVisible(isWatching);
    const auto traces = std::ranges::count_if(
        results.files, [](const ResultFile& file) { return file.isComplete && !file.isSnapshot; });
    m_received->setText(tr("%1 of %2 received").arg(results.received()).arg(results.ranks));
    m_import->setText(tr("Import %1").arg(countOf(traces, "trace")));
    m_import->setVisible(traces > 0);
    showRanks();
    if (results.areAllThere() && !std::exchange(m_areAllImported, true))
        import(results.complete());
    Q_EMIT changed();
}

void ResultsPanel::showRanks()
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

void ResultsPanel::showProgress(const QString& text)
{
    showNote(text);
    m_import->setEnabled(text.isEmpty());
}

void ResultsPanel::showNote(const QString& text)
{
    m_progress->setText(text);
    m_progress->setVisible(!text.isEmpty());
}

void ResultsPanel::showFailure(const QString& reason)
{
    showProgress({});
    m_empty->setText(reason);
    m_empty->show();
    m_shown->hide();
}

// Replaces an import that is running: the user chose other traces, or the missing ones have
// arrived.
void ResultsPanel::import(const QStringList& paths)
{
    if (paths.isEmpty())
        return;
    m_importer = std::make_unique<TraceImporter>();
    showProgress(tr("Importing %1").arg(countOf(paths.size(), "file")));
    connect(m_importer.get(), &TraceImporter::progressed, this, [this](const ImportState& state) {
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
        connect(m_measured.get(), &RunDocument::stateChanged, this, &ResultsPanel::showImported);
        showImported();
    });
    m_importer->start(paths);
}

// As soon as the measured run is read, compares it with the prediction and with the emulated run,
// if these are known.
void ResultsPanel::showImported()
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
void ResultsPanel::showComparison(const QStringList& names, const std::vector<RunPointer>& all)
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
                bars.push_back(
                    timeRow(i, names.at(static_cast<qsizetype>(i)), all[i], time, look.palette));
            return barChart({}, bars, time, look);
        });
    const QString finding = findingText(*m_comparison, *m_compared, names.front().toLower());
    m_finding->show(finding.isEmpty() ? Band::Kind::Ok : Band::Kind::Warning, {},
                    finding.isEmpty() ? tr("No link and no rank stands out.") : finding);
    showRanks();
}

void ResultsPanel::useMeasuredLinks()
{
    const profiler::ExpectedComparison* measured = comparison();
    ClusterPlan plan = m_plan;
    if (measured == nullptr || !hasPrediction()
        || !takeMeasuredLinks(*m_outlook->prediction, measured->links, plan))
        return showNote(tr("The link bandwidths cannot be measured: no message took "
                           "longer than the assumed latency."));
    Q_EMIT linksMeasured(plan);
}

void ResultsPanel::compare()
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

void ResultsPanel::requestComparison()
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

void ResultsPanel::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void ResultsPanel::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    take(localFiles(*event->mimeData()));
}

} // namespace app
