#include "app/ledger/ledger_runs.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using Rows = std::vector<std::pair<QString, QString>>;

// Leaves out rows without a value.
void addSection(Details& details, const char* title, const Rows& rows)
{
    DetailsSection section;
    section.title = QString::fromLatin1(title);
    for (const auto& [name, value] : rows)
        if (!value.isEmpty())
            section.add(name, value);
    if (!section.rows.empty())
        details.sections.push_back(std::move(section));
}

template<class Text>
QString textOf(const std::optional<double>& value, Text text)
{
    return value ? text(*value) : QString();
}

QString stateOf(const RunDocument& document)
{
    const RunProgress& progress = document.progress();
    if (document.isQueued())
        return QStringLiteral("queued");
    if (progress.planned == 0)
        return QStringLiteral("starting");
    return (document.isPaused() ? QStringLiteral("paused, %1 of %2")
                                : QStringLiteral("running, %1 of %2"))
        .arg(progress.done)
        .arg(progress.planned);
}

// Sets the state of a run that has not ended. Removes the results that are known only when all
// iterations are complete.
void describeState(const RunDocument& document, LedgerRun& run)
{
    run.state = stateOf(document);
    run.share = document.isRunning() && document.progress().planned > 0
        ? document.progress().iterations() / document.progress().planned
        : -1;
    run.problem.clear(); // the file may be unreadable only because it is incomplete
    for (auto* result : {&run.iteration, &run.least, &run.most, &run.bubble, &run.tokensPerSecond})
        result->reset();
}

} // namespace

std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles)
{
    std::vector<LedgerFacet> facets{
        {QStringLiteral("All runs"), [](const LedgerRun&) { return true; }},
        {QStringLiteral("Open now"),
         [openFiles](const LedgerRun& run) { return openFiles.contains(run.file); }},
        {QStringLiteral("Failed"), &LedgerRun::isFailed},
        {QStringLiteral("Imported"),
         [](const LedgerRun& run) { return run.mode == QStringLiteral("imported"); }},
        {QStringLiteral("Trash"), &LedgerRun::isTrashed, LedgerFacet::Of::Trash}};
    QStringList tags;
    for (const LedgerRun& run : runs)
        if (!run.isTrashed())
            tags += run.tags;
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    for (const QString& tag : tags)
        facets.push_back({tag, [tag](const LedgerRun& run) { return run.tags.contains(tag); },
                          LedgerFacet::Of::Tag});
    for (LedgerFacet& facet : facets)
        facet.count = static_cast<int>(
            std::ranges::count_if(runs, [&](const LedgerRun& run) { return facet.contains(run); }));
    return facets;
}

std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs,
                                        const std::vector<std::shared_ptr<RunDocument>>& open)
{
    for (const auto& document : open) {
        if (!document->isQueued() && !document->isRunning())
            continue;
        const QString file = QFileInfo(document->file()).absoluteFilePath();
        auto known = std::ranges::find(runs, file, &LedgerRun::file);
        if (known == runs.end()) {
            LedgerRun started;
            started.file = file;
            started.label = document->title();
            known = runs.insert(runs.begin(), std::move(started));
        }
        describeState(*document, *known);
    }
    return runs;
}

Details describeLedgerRun(const LedgerRun& run)
{
    Details details;
    details.title = run.title();
    if (run.iteration) {
        details.value = run.time().text(*run.iteration);
        details.unit = run.time().unit();
    }
    details.right = run.state;
    details.left = run.mode;
    if (!run.label.isEmpty() && run.label != run.title())
        details.left += details.left.isEmpty() ? run.label : QStringLiteral(", ") + run.label;
    details.sentence = run.problem.toHtmlEscaped();
    const Scale time = run.time();
    const auto rounded = [](double value) { return number(value, 0); };
    addSection(
        details, "Results",
        {{QStringLiteral("95 % interval, %1").arg(time.unit()),
          run.least && run.most
              ? QStringLiteral("%1 to %2").arg(time.text(*run.least), time.text(*run.most))
              : QString()},
         {QStringLiteral("Bubble"),
          textOf(run.bubble, [](double share) { return percent(share); })},
         {QStringLiteral("Peak memory"),
          textOf(run.peakBytes,
                 [](double bytes) { return byteScale(std::llround(bytes)).withUnit(bytes); })},
         {QStringLiteral("Tokens/s"), textOf(run.tokensPerSecond, rounded)},
         {QStringLiteral("Loss"),
          run.lossFirst && run.lossLast
              ? QStringLiteral("%1 → %2").arg(number(*run.lossFirst, 3), number(*run.lossLast, 3))
              : QString()}});
    Rows parameters;
    for (const auto& [title, value] : run.settings)
        parameters.emplace_back(settingTitle(title), value);
    addSection(details, "Parameters", parameters);
    const QFileInfo file(run.file);
    addSection(
        details, "File",
        {{QStringLiteral("Size"),
          run.bytes > 0 ? dataScale(run.bytes).withUnit(static_cast<double>(run.bytes))
                        : QString()},
         {QStringLiteral("Name"), file.fileName()},
         {QStringLiteral("Folder"),
          run.isTrashed() ? QStringLiteral("trash, from %1").arg(run.origin) : file.absolutePath()},
         {QStringLiteral("Recorded"),
          run.started.isValid() ? QLocale::c().toString(run.started.toLocalTime(),
                                                        QStringLiteral("d MMM yyyy, HH:mm"))
                                : QString()}});
    return details;
}

} // namespace app
