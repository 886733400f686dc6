#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/import/job.h"

namespace profiler {

struct ImportedRun
{
    engine::Run run; // its mode is Imported, and it has the import report
    engine::GpuTrace gpu;
};

// Makes a run from a job. Its devices are the ranks of the first copy of the pipeline; a rank
// without a trace is a device without ops. Stage and micro-batch of an op come from the name of its
// range. If no range names them, the stage is that of the rank's chunk, or the rank number if
// stages exchange messages, and micro-batches are numbered in the order of execution. Otherwise
// stages are unknown (ImportReport). Iterations that are not complete on every rank are left out.
// Fails with Error::Code::NotFound if there is no complete iteration with ops.
engine::Result<ImportedRun> buildRun(Job job);

} // namespace profiler
