#pragma once

#include "profiler/import/build_run.h"
#include "profiler/import/rules.h"
#include "profiler/import/trace_files.h"

#include <filesystem>
#include <vector>

namespace profiler {

// Imports the traces of one job: SQLite exports of Nsight Systems, and JSON in the Trace Event
// Format (PyTorch's profiler and others). Both may be compressed or in archives. A folder stands
// for the traces in it. A file that cannot be read is skipped with a warning if others can be read.
// Fails with Error::Code::Cancelled if `progress` returns false.
engine::Result<ImportedRun> importTraces(const std::vector<std::filesystem::path>& paths,
                                         const Rules& rules, const OnImportProgress& progress = {});

} // namespace profiler
