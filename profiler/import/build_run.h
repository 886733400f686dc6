#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/import/job.h"

namespace profiler {

struct ImportedRun
{
    engine::Run run; // mode Imported, with its report
    engine::GpuTrace gpu;
};

// Makes a run of a job. Its devices are the ranks of the first copy of the pipeline, missing ranks
// included, which have no ops. An op's stage and micro-batch are those that its range names. If
// ranges name none, the stage is that of the rank's chunk, or the rank if there are messages
// between stages; micro-batches are numbered in the order of execution. Otherwise stages are
// unknown (ImportReport). Iterations that are not complete on every rank are left out. Fails with
// Error::Code::NotFound if there is no complete iteration with ops.
engine::Result<ImportedRun> buildRun(Job job);

} // namespace profiler
