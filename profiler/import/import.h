#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/import/rules.h"
#include "profiler/import/trace_files.h"

#include <filesystem>
#include <vector>

namespace profiler {

struct ImportedRun
{
    engine::Run run; // its mode is Imported, and it has the import report
    engine::GpuTrace gpu;
};

// Imports the traces of one job: SQLite exports of Nsight Systems, and JSON in the Trace Event
// Format (PyTorch's profiler and others). Both may be compressed or in archives. A folder stands
// for the traces in it. A file that cannot be read is skipped with a warning if others can be read.
// Fails with Error::Code::Cancelled if `progress` returns false.
engine::Result<ImportedRun> importTraces(const std::vector<std::filesystem::path>& paths,
                                         const Rules& rules, const OnImportProgress& progress = {});

} // namespace profiler
