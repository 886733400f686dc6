#include "app/ledger/runs_under_way.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace app {
namespace {

QString stateOf(const RunDocument& document)
{
    const auto text
        = [](const char* source) { return QCoreApplication::translate("Ledger", source); };
    const RunProgress& progress = document.progress();
    if (document.isQueued())
        return text("queued");
    if (progress.planned == 0)
        return text("starting");
    return (document.isPaused() ? text("paused, %1 of %2") : text("running, %1 of %2"))
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

} // namespace app
