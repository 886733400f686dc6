#include "app/import/import_facts.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using engine::ImportReport;

QString importText(const char* text)
{
    return QCoreApplication::translate("ImportFacts", text);
}

template<class Text>
QStringList distinct(const ImportReport& report, Text text)
{
    QStringList result;
    for (const ImportReport::Rank& rank : report.ranks)
        if (const QString one = QString::fromStdString(text(rank)); !one.isEmpty())
            result.append(one);
    result.removeDuplicates();
    return result;
}

// Returns the first name and the number of others: "node-1", "node-1 and 3 others".
QString firstOf(const QStringList& names)
{
    if (names.isEmpty())
        return {};
    const auto others = names.size() - 1;
    return others == 0 ? names.front()
                       : importText("%1 and %2").arg(names.front(), countOf(others, "other"));
}

QString iterationNote(const ImportReport& report)
{
    return report.iterationsFrom.empty()
        ? importText("the whole trace")
        : importText("by %1").arg(QString::fromStdString(report.iterationsFrom));
}

std::int64_t reportedDuration(const engine::Run& run)
{
    const int reported = engine::reportedIteration(run.timeline);
    return reported < 0
        ? 0
        : run.timeline.iterations[static_cast<std::size_t>(reported)].window.duration();
}

} // namespace

std::vector<ImportFact> importFacts(const engine::Run& run)
{
    const ImportReport& report = *run.info.import;
    QStringList files;
    for (const QString& file : distinct(report, [](const auto& rank) { return rank.file; }))
        files.append(QFileInfo(file).fileName());
    const QStringList hosts = distinct(report, [](const auto& rank) { return rank.host; });
    const auto iterations = static_cast<std::int64_t>(run.timeline.iterations.size());
    return {
        {importText("Source"), countOf(files.size(), "file"), firstOf(files)},
        {importText("Recorded by"), QString::fromStdString(report.program),
         report.onGpu ? importText("%1 on GPUs").arg(countOf(report.kernels, "kernel"))
                      : importText("ops on CPUs")},
        {importText("Hosts"),
         hosts.isEmpty() ? importText("unknown") : countOf(hosts.size(), "host"),
         hosts.isEmpty() ? importText("not named in the traces") : firstOf(hosts)},
        {importText("Iterations"), importText("%1 found").arg(iterations), iterationNote(report)},
    };
}

std::vector<RankFact> rankFacts(const ImportReport& report)
{
    std::vector<std::pair<int, RankFact>> facts;
    for (const ImportReport::Rank& rank : report.ranks) {
        QStringList place;
        for (const std::string* text : {&rank.host, &rank.deviceName})
            if (!text->empty())
                place.append(QString::fromStdString(*text));
        const QString file = QString::fromStdString(rank.file);
        if (place.isEmpty())
            place.append(QFileInfo(file).fileName());
        facts.push_back({rank.rank,
                         {importText("rank %1").arg(rank.rank), place.join(QStringLiteral(", ")),
                          file, false}});
    }
    for (const int rank : report.missingRanks)
        facts.push_back({rank,
                         {importText("rank %1").arg(rank), importText("no file"),
                          importText("No trace of this rank was imported"), true}});
    std::ranges::stable_sort(facts, {}, [](const auto& fact) { return fact.first; });
    std::vector<RankFact> result;
    for (auto& [rank, fact] : facts)
        result.push_back(std::move(fact));
    return result;
}

QString rankSummary(const ImportReport& report)
{
    const auto present = report.ranks.size(), missing = report.missingRanks.size();
    return missing == 0 ? importText("all present")
                        : importText("%1 of %2 present").arg(present).arg(present + missing);
}

std::vector<CoveragePart> coverageParts(const ImportReport& report)
{
    std::vector<CoveragePart> parts;
    if (report.time <= 0)
        return parts;
    const auto all = static_cast<double>(report.time);
    double rest = 1;
    for (const ImportReport::Rule& rule : report.rules) {
        const double share = static_cast<double>(rule.time) / all;
        parts.push_back({QString::fromStdString(rule.name), share, true});
        rest -= share;
    }
    constexpr double kLeast = 0.0005; // smaller shares are rounded to 0.0 %
    if (rest >= kLeast)
        parts.push_back({importText("unclassified"), rest, false});
    return parts;
}

QString coverageTitle(const ImportReport& report)
{
    const QString share = percent(report.classified());
    return report.onGpu ? importText("%1 of GPU time classified").arg(share)
                        : importText("%1 of op time classified").arg(share);
}

QString coverageNumbers(const ImportReport& report)
{
    const Scale scale = timeScale(report.time);
    const double known = report.classified() * static_cast<double>(report.time);
    return importText("%1 of %2 %3, all ranks and iterations")
        .arg(scale.text(known), scale.text(static_cast<double>(report.time)), scale.unit());
}

ReplayFact replayFact(const engine::Run& run)
{
    constexpr double kGood = 0.05, kFair = 0.1;
    const auto& error = run.info.import->replayError;
    if (!error)
        return {ReplayFact::Level::Unknown, importText("No replay."),
                importText("The traces have no complete pipeline.")};
    const auto measured = static_cast<double>(reportedDuration(run));
    const Scale scale = timeScale(run.info, reportedDuration(run));
    const double size = std::abs(*error);
    return {
        size <= kGood       ? ReplayFact::Level::Good
            : size <= kFair ? ReplayFact::Level::Fair
                            : ReplayFact::Level::Poor,
        importText("Replayed."),
        importText("A simulation with the median op times takes %1, %2 %3 than the measured %4.")
            .arg(scale.withUnit(measured * (1 + *error)), percent(size),
                 *error < 0 ? importText("less") : importText("more"), scale.withUnit(measured))};
}

std::vector<ImportFact> structureFacts(const engine::Run& run)
{
    const bool stages = engine::knowsStages(run.info);
    const bool microBatches = engine::knowsMicroBatches(run.info);
    const engine::Shape& shape = run.schedule.shape;
    const QString unknown = importText("unknown");
    const Scale scale = timeScale(run.info, reportedDuration(run));
    std::vector<ImportFact> facts{
        {importText("Reported iteration"),
         scale.withUnit(static_cast<double>(reportedDuration(run))),
         {}},
        {importText("Stages"), stages ? QString::number(shape.stages) : unknown, {}},
        {importText("Micro-batches"),
         microBatches ? QString::number(shape.microBatches) : unknown,
         {}}};
    if (stages)
        facts.push_back({importText("Order of ops"),
                         run.info.scheme == "imported" ? importText("no known scheme")
                                                       : QString::fromStdString(run.info.label),
                         {}});
    return facts;
}

} // namespace app
