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

// Makes a run from a job. Its devices are the ranks of the first copy of the pipeline, one of each
// tensor-parallel and context-parallel group; a rank without a trace is a device without ops. The
// stage of an op is found by the first of these rules that applies:
//  * If ranges name stages, these are used. If the range of an op names no stage, but all other
//    ranges of the rank name the same stage, that stage is used.
//  * If ranges name the chunk, the stage follows from the chunk and the rank's place in its
//    pipeline.
//  * If the messages of the ranks show it (message_evidence.h), ranges name micro-batches, or
//    process groups have the names of pipeline groups, the stage is the rank's place in its
//    pipeline, unless the messages show that a rank has several stages.
//  * Otherwise stages are unknown (ImportReport).
//
// If the range of an op names no micro-batch, micro-batches are numbered in the order of execution.
// Iterations that are not complete on every rank are left out. Fails with Error::Code::NotFound if
// there is no complete iteration with ops.
engine::Result<ImportedRun> buildRun(Job job);

} // namespace profiler
