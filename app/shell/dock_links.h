#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/shell/runs_dock.h"

namespace app {

// Connects the list of runs to its page. Every page uses the same connections.
inline void linkDock(const RunsDock& dock, RunLibrary& library, Page& page)
{
    QObject::connect(&dock, &RunsDock::activated, &page,
                     [&page](const std::shared_ptr<RunDocument>& run) {
                         Q_EMIT page.pageRequested({"run", {}, {run}});
                     });
    QObject::connect(&dock, &RunsDock::compareRequested, &page,
                     [&page](const std::vector<std::shared_ptr<RunDocument>>& runs) {
                         Q_EMIT page.pageRequested({"compare", {}, runs});
                     });
    QObject::connect(&dock, &RunsDock::removeRequested, &page,
                     [&library](const RunDocument& document) { library.close(document); });
    QObject::connect(
        &dock, &RunsDock::moveInQueueRequested, &page,
        [&library](const RunDocument& document, int by) { library.moveInQueue(document, by); });
    QObject::connect(&dock, &RunsDock::addRequested, &page,
                     [&page] { Q_EMIT page.pageRequested({"setup"}); });
}

} // namespace app
