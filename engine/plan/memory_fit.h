#pragma once

#include "engine/backend/device.h"
#include "engine/experiment/experiment.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/memory_spaces.h"

#include <vector>

namespace engine {

// The input of checkFits(), which checks that the arenas of all devices fit into the memory of the
// machine or of their GPUs (`spaces`), and that each arena fits into Experiment::deviceMemory. The
// error message states the needed and the available bytes, the device with the largest arena, its
// op at the peak, and changes of the experiment that would fit.
struct MemoryFit
{
    const Experiment& experiment;
    const Schedule& lowered;
    const ExecutionPlan& plan;
    const MemorySpaces& spaces;
};
// `device` runs the experiment.
Result<void> checkFits(const MemoryFit& fit, const Device& device);

// Checks before planning that the recording and the order of the ops (happens_before.h) fit into
// `available` bytes of the machine's memory. 0: unknown; the check then succeeds.
Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered,
                             Bytes available);

struct MemoryNeed
{
    std::vector<double> spaces;        // [index in MemorySpaces]: required bytes
    Bytes fullest = 0;                 // bytes of the largest arena
    std::vector<double> communicators; // [index in MemorySpaces]: bytes for NCCL

    double most() const; // maximum of `spaces`
};

// A change of the experiment that fits in memory, as verified by planning it.
struct Remedy
{
    std::string option; // "--micro-batches 4"
    Experiment experiment;
    MemoryNeed need;
};
std::vector<Remedy> remediesFor(const Experiment& experiment, const MemorySpaces& spaces,
                                const Device& device);

} // namespace engine
