#pragma once

#include "app/documents/ledger_run.h"
#include "app/documents/runs_model.h"

#include <vector>

namespace app {

// Adds the open runs that have not ended to the runs of the ledger. If the file of an open run is
// already in the ledger, that entry gets its state; otherwise a new entry is placed first.
std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs, const RunsModel& open);

} // namespace app
