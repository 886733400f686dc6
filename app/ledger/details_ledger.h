#pragma once

#include "app/documents/ledger_run.h"
#include "app/timeline/details/details.h"

namespace app {

// Describes a run of the ledger, without reading its file.
Details describeLedgerRun(const LedgerRun& run);

} // namespace app
