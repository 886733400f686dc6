#include "app/ledger/ledger_runs.h"

#include <QFileInfo>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

DetailsSection resultsSection(const LedgerRun& run)
{
    DetailsSection section;
    section.title = QStringLiteral("Results");
    const Scale time = run.time();
    if (run.least && run.most)
        section.add(QStringLiteral("95 % interval, %1").arg(time.unit()),
                    QStringLiteral("%1 to %2").arg(time.text(*run.least), time.text(*run.most)));
    if (run.bubble)
        section.add(QStringLiteral("Bubble"), percent(*run.bubble));
    if (run.peakBytes)
        section.add(QStringLiteral("Peak memory"),
                    byteScale(std::llround(*run.peakBytes)).withUnit(*run.peakBytes));
    if (run.tokensPerSecond)
        section.add(QStringLiteral("Tokens/s"), number(*run.tokensPerSecond, 0));
    if (run.lossFirst && run.lossLast)
        section.add(
            QStringLiteral("Loss"),
            QStringLiteral("%1 → %2").arg(number(*run.lossFirst, 3), number(*run.lossLast, 3)));
    return section;
}

DetailsSection parametersSection(const LedgerRun& run)
{
    DetailsSection section;
    section.title = QStringLiteral("Parameters");
    for (const auto& [title, value] : run.settings)
        if (!value.isEmpty())
            section.add(settingTitle(title), value);
    return section;
}

DetailsSection fileSection(const LedgerRun& run)
{
    const QFileInfo file(run.file);
    DetailsSection section;
    section.title = QStringLiteral("File");
    if (run.bytes > 0)
        section.add(QStringLiteral("Size"),
                    dataScale(run.bytes).withUnit(static_cast<double>(run.bytes)));
    section.add(QStringLiteral("Name"), file.fileName());
    section.add(QStringLiteral("Folder"),
                run.isTrashed() ? QStringLiteral("trash, from %1").arg(run.origin)
                                : file.absolutePath());
    if (run.started.isValid())
        section.add(
            QStringLiteral("Recorded"),
            QLocale::c().toString(run.started.toLocalTime(), QStringLiteral("d MMM yyyy, HH:mm")));
    return section;
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

QString LedgerFacet::title() const
{
    switch (kind) {
    case Kind::Open:
        return QStringLiteral("Open now");
    case Kind::Failed:
        return QStringLiteral("Failed");
    case Kind::Imported:
        return QStringLiteral("Imported");
    case Kind::Trash:
        return QStringLiteral("Trash");
    case Kind::Tag:
        return tag;
    case Kind::All:
        break;
    }
    return QStringLiteral("All runs");
}

bool LedgerFacet::contains(const LedgerRun& run, const QStringList& openFiles) const
{
    if (run.isTrashed() || kind == Kind::Trash)
        return run.isTrashed() && kind == Kind::Trash;
    switch (kind) {
    case Kind::Open:
        return openFiles.contains(run.file);
    case Kind::Failed:
        return run.isFailed();
    case Kind::Imported:
        return run.mode == QStringLiteral("imported");
    case Kind::Tag:
        return run.tags.contains(tag);
    default:
        return true;
    }
}

std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles)
{
    using Kind = LedgerFacet::Kind;
    std::vector<LedgerFacet> facets;
    for (const Kind kind : {Kind::All, Kind::Open, Kind::Failed, Kind::Imported, Kind::Trash})
        facets.push_back({kind, {}, 0});
    QStringList tags;
    for (const LedgerRun& run : runs)
        if (!run.isTrashed())
            tags += run.tags;
    tags.removeDuplicates();
    tags.sort(Qt::CaseInsensitive);
    for (const QString& tag : tags)
        facets.push_back({Kind::Tag, tag, 0});
    for (LedgerFacet& facet : facets)
        facet.count = static_cast<int>(std::ranges::count_if(
            runs, [&](const LedgerRun& run) { return facet.contains(run, openFiles); }));
    return facets;
}

std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs, const RunsModel& open)
{
    for (int row = 0; row < open.rowCount(); ++row) {
        const std::shared_ptr<RunDocument> document = open.at(row);
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
    for (DetailsSection& section :
         std::vector{resultsSection(run), parametersSection(run), fileSection(run)})
        if (!section.rows.empty())
            details.sections.push_back(std::move(section));
    return details;
}

} // namespace app
