#pragma once

#include "app/documents/run_document.h"
#include "app/ledger/ledger_run.h"
#include "app/timeline/details/details.h"

#include <functional>
#include <vector>

namespace app {

// A group to which the list of runs can be limited. Only the group Trash contains runs in the
// trash.
struct LedgerFacet
{
    enum class Of : std::uint8_t { Runs, Trash, Tag };

    QString title;
    std::function<bool(const LedgerRun&)> has = [](const LedgerRun&) { return true; };
    Of of = Of::Runs;
    int count = 0; // number of runs in the group

    bool isSame(const LedgerFacet& other) const { return of == other.of && title == other.title; }
    bool contains(const LedgerRun& run) const
    {
        return run.isTrashed() == (of == Of::Trash) && has(run);
    }
};

// The fixed groups, then one for each tag, sorted by name.
std::vector<LedgerFacet> ledgerFacets(const std::vector<LedgerRun>& runs,
                                      const QStringList& openFiles);

// Adds the open runs that have not ended to the runs of the ledger. If the file of an open run is
// already in the ledger, that entry gets its state; otherwise a new entry is placed first.
std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs,
                                        const std::vector<std::shared_ptr<RunDocument>>& open);

Details describeLedgerRun(const LedgerRun& run); // without reading its file

} // namespace app
