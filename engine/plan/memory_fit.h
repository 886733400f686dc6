#pragma once

#include "engine/backend/device.h"
#include "engine/experiment/experiment.h"
#include "engine/plan/execution_plan.h"
#include "engine/plan/memory_rooms.h"

#include <vector>

namespace engine {

// Whether a run fits: its devices into the memory of the machine or, each into its own, of the GPUs
// (`rooms`), and each device into Experiment::deviceMemory. The error says where how much is
// missing, which device is the fullest and at which op, and which changes of the experiment would
// fit.
struct MemoryFit
{
    const Experiment& experiment;
    const Schedule& lowered;
    const ExecutionPlan& plan;
    const MemoryRooms& rooms;
};
Result<void> checkFits(const MemoryFit& fit, const Device& device); // which runs it

// The record alone, before anything is planned, into `available` bytes of the machine; 0: unknown,
// it fits.
Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered,
                             Bytes available);

// What a run needs.
struct MemoryNeed
{
    std::vector<double> rooms;         // bytes in each
    Bytes fullest = 0;                 // arena of the fullest device
    std::vector<double> communicators; // of those in each room: kept free for NCCL

    double most() const; // of any room
};

// A change of an experiment with which it fits: each was planned.
struct Remedy
{
    std::string words; // "--micro-batches 4"
    Experiment experiment;
    MemoryNeed need;
};
std::vector<Remedy> remediesFor(const Experiment& experiment, const MemoryRooms& rooms,
                                const Device& device);

} // namespace engine
