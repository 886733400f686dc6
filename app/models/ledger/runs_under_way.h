#pragma once

#include "app/models/ledger/ledger_run.h"
#include "app/models/tables/runs_model.h"

#include <vector>

namespace app {

// Adds the open runs that have not ended to the runs of the ledger. A run that is in the ledger
// gets the state of the open one. Queued runs, and runs whose file is not in the ledger yet, are
// placed first.
std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs, const RunsModel& open);

} // namespace app
