#include "app/cluster/cluster_results.h"

#include "app/ui/numbers.h"
#include "profiler/store/trace_store.h"

#include <QDirIterator>
#include <QRegularExpression>

#include <algorithm>
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
                             info.lastModified(), false});
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
        if (file.rank < 0 || file.rank >= ranks)
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
    const auto look = [this] {
        if (!m_looks.isBusy())
            m_looks.ask(m_results.folder);
    };
    connect(&m_clock, &QTimer::timeout, this, look);
    // Scans at once when the system reports a change, so that a new file is shown early. Only a
    // later scan by the timer can find the file complete.
    connect(&m_system, &QFileSystemWatcher::directoryChanged, this, look);
}

void ResultWatcher::watch(const QString& folder, int ranks)
{
    stop();
    m_looks.drop();
    m_results = {folder, ranks, {}};
    m_system.addPath(folder);
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

void ResultWatcher::stop()
{
    m_clock.stop();
    if (!m_system.directories().isEmpty())
        m_system.removePaths(m_system.directories());
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

} // namespace app
