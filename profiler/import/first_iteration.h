#pragma once

#include "profiler/import/job.h"

#include <cstddef>
#include <vector>

namespace profiler {

// Whether the work is a pipeline op whose range names its micro-batch.
inline bool isNumbered(const Work& work)
{
    return isPipelineOp(work.op.kind) && work.op.microBatch;
}

// Returns how many numbered works each rank executed before the first iteration that all ranks
// recorded from its begin. That is 0 unless the recording began within an iteration, which a
// backward shows that precedes its forward.
std::vector<std::size_t> worksBeforeFirstIteration(const Job& job);

} // namespace profiler
