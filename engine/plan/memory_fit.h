#pragma once

#include "engine/backend/device.h"
#include "engine/experiment/experiment.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/memory_rooms.h"

#include <vector>

namespace engine {

// Checks that the arenas of all devices fit into the memory of the machine or of their GPUs
// (`rooms`), and each device into Experiment::deviceMemory. The error names the missing bytes,
// the fullest device with its op, and changes of the experiment that fit.
struct MemoryFit
{
    const Experiment& experiment;
    const Schedule& lowered;
    const ExecutionPlan& plan;
    const MemoryRooms& rooms;
};
Result<void> checkFits(const MemoryFit& fit, const Device& device); // the device that runs it

// Checks the recording only, before planning; `available` bytes of the machine; 0: unknown,
// fits.
Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered,
                             Bytes available);

// Memory that a run needs.
struct MemoryNeed
{
    std::vector<double> rooms;         // bytes in each room
    Bytes fullest = 0;                 // arena of the fullest device
    std::vector<double> communicators; // bytes in each room reserved for NCCL

    double most() const; // maximum over the rooms
};

// A change of the experiment with which it fits in memory; verified by planning it.
struct Remedy
{
    std::string words; // "--micro-batches 4"
    Experiment experiment;
    MemoryNeed need;
};
std::vector<Remedy> remediesFor(const Experiment& experiment, const MemoryRooms& rooms,
                                const Device& device);

} // namespace engine
