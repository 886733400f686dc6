#pragma once

#include "engine/backend/kernels.h"
#include "engine/exec/execution_plan.h"
#include "engine/exec/run_experiment.h"

namespace engine {

// Whether a run fits into `available` bytes, which are shared by all its devices; unknown (0) does.
// The error says how much is missing, which device is the fullest and at which op, and which
// changes of the experiment would fit.
struct MemoryFit
{
    const Experiment& experiment;
    const Schedule& lowered;
    const ExecutionPlan& plan;
    Bytes available = 0;
};
Result<void> checkFits(const MemoryFit& fit, const Kernels<float>& kernels);

// The record alone, before anything is planned.
Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered,
                             Bytes available);

} // namespace engine
