#pragma once

#include "app/documents/run_library.h"
#include "app/ledger/run_ledger.h"
#include "app/shell/page.h"
#include "app/timeline/details/details.h"
#include "app/ui/settings.h"

namespace app {

// What the page shows of the selected runs, without reading their files: all of one run; of
// several the numbers and settings that differ, and those that do not.
Details describeLedgerRuns(const std::vector<LedgerRun>& runs);

// The page with all runs of this machine: the groups at the left, the filtered and sorted list, and
// the details of the selected runs.
Page* makeLedger(const ThemeController& theme, Settings& settings, RunLibrary& library,
                 RunLedger& ledger);

} // namespace app
