#pragma once

#include "engine/backend/device.h"
#include "engine/exec/execution_plan.h"
#include "engine/exec/run_experiment.h"

#include <vector>

namespace engine {

// Whether a run fits: all its devices and its record into `available` bytes of the machine (0:
// unknown, fits), and each device into Experiment::deviceMemory. The error says how much is
// missing, which device is the fullest and at which op, and which changes of the experiment would
// fit.
struct MemoryFit
{
    const Experiment& experiment;
    const Schedule& lowered;
    const ExecutionPlan& plan;
    Bytes available = 0;
};
Result<void> checkFits(const MemoryFit& fit, const Device& device); // which runs it

// The record alone, before anything is planned.
Result<void> checkRecordFits(const Experiment& experiment, const Schedule& lowered,
                             Bytes available);

// What a run needs.
struct MemoryNeed
{
    double total = 0;  // bytes of all devices, and of the record
    Bytes fullest = 0; // arena of the fullest device
};

// A change of an experiment with which it fits: each was planned.
struct Remedy
{
    std::string words; // "--micro-batches 4"
    Experiment experiment;
    MemoryNeed need;
};
std::vector<Remedy> remediesFor(const Experiment& experiment, Bytes available,
                                const Device& device);

} // namespace engine
