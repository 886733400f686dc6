#include "app/cluster/cluster_results.h"

#include "app/ui/numbers.h"
#include "profiler/store/trace_store.h"

#include <QCoreApplication>
#include <QDirIterator>
#include <QRegularExpression>

#include <algorithm>

namespace app {
namespace {

QString resultPhrase(const char* source)
{
    return QCoreApplication::translate("ClusterResults", source);
}

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
                resultPhrase("Messages from device %1 to device %2 took %3 %4: %5 instead of "
                             "%6.")
                    .arg(link.from.value)
                    .arg(link.to.value)
                    .arg(more < 2 ? resultPhrase("%1 longer than").arg(percent(more, 0))
                                  : resultPhrase("%1 times as long as").arg(number(more + 1, 0)),
                         expected, time.text(link.measured), time.withUnit(link.expected)));
    }
    QStringList slow;
    for (const profiler::DeviceTimes& device : comparison.devices)
        if (device.isSlow)
            slow.append(resultPhrase("rank %1 (%2)")
                            .arg(rankOf(measured, device.device))
                            .arg(QLatin1Char('+') + percent(device.factor - 1, 0)));
    constexpr qsizetype kMost = 6;
    if (!slow.isEmpty())
        sentences.append(resultPhrase("Slower than the other ranks: %1%2.")
                             .arg(slow.mid(0, kMost).join(QStringLiteral(", ")),
                                  slow.size() > kMost
                                      ? resultPhrase(" and %1 more").arg(slow.size() - kMost)
                                      : QString()));
    return sentences.join(QLatin1Char(' '));
}

} // namespace app
