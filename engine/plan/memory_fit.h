#pragma once

#include "engine/backend/device.h"
#include "engine/base/units.h"
#include "engine/experiment/experiment.h"
#include "engine/plan/execution_plan.h"

#include <vector>

namespace engine {

// A memory in which arenas are allocated: that of the machine or of one GPU.
struct MemorySpace
{
    // Bytes that are free after all devices were opened; 0: unknown, and everything fits.
    Bytes free = 0;
    int gpu = -1; // -1: the memory of the machine, which also holds the recording

    bool isGpu() const { return gpu >= 0; }
    // The rest is left for other processes or, on a GPU, for graphs, tracers and kernels that are
    // loaded late.
    double usable() const;
    bool holds(double bytes) const { return free <= 0 || bytes <= usable(); }
};

// The memories of a run; not empty.
using MemorySpaces = std::vector<MemorySpace>;

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

MemoryNeed memoryNeed(const Experiment& experiment, const Schedule& lowered,
                      const ExecutionPlan& plan, const MemorySpaces& spaces);
// By device of all data-parallel pipelines; 0 without NCCL.
IdVector<DeviceId, Bytes> communicatorNeed(const ExecutionPlan& plan);

bool fits(const MemoryNeed& need, const Experiment& experiment, const MemorySpaces& spaces);

} // namespace engine
