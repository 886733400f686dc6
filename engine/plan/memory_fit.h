#pragma once

#include "engine/backend/device.h"
#include "engine/experiment/experiment.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/memory_rooms.h"

#include <vector>

namespace engine {

// The input of checkFits(), which checks that the arenas of all devices fit into the memory of the
// machine or of their GPUs (`rooms`), and each arena into Experiment::deviceMemory. The message of
// the error has the missing bytes, the fullest device with its op, and changes of the experiment
// with which it fits.
struct MemoryFit
{
    const Experiment& experiment;
    const Schedule& lowered;
    const ExecutionPlan& plan;
    const MemoryRooms& rooms;
};
Result<void> checkFits(const MemoryFit& fit, const Device& device); // `device` runs the experiment

// Checks before planning that the recording fits into `available` bytes of the machine; 0: unknown,
// always fits.
Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered,
                             Bytes available);

// The memory that a run needs.
struct MemoryNeed
{
    std::vector<double> rooms;         // [room] bytes
    Bytes fullest = 0;                 // arena of the fullest device
    std::vector<double> communicators; // [room] bytes reserved for NCCL

    double most() const; // of `rooms`
};

// A change with which the experiment fits in memory, verified by planning it.
struct Remedy
{
    std::string words; // option: "--micro-batches 4"
    Experiment experiment;
    MemoryNeed need;
};
std::vector<Remedy> remediesFor(const Experiment& experiment, const MemoryRooms& rooms,
                                const Device& device);

} // namespace engine
