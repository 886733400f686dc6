#pragma once

#include "app/models/ledger/ledger_run.h"
#include "app/models/tables/runs_model.h"

#include <vector>

namespace app {

// Returns the runs of the ledger with the states of the open runs that have not ended. Queued runs
// and runs whose file is not in the ledger yet come first.
std::vector<LedgerRun> withRunsUnderWay(std::vector<LedgerRun> runs, const RunsModel& open);

} // namespace app
