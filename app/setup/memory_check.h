#pragma once

#include "app/plan/run_plan.h"

#include <QString>

#include <vector>

namespace app {

// Whether a run fits in the memory of this machine. The run is planned for this check but not
// started.
struct MemoryCheck
{
    // A change of the plan with which the run would fit.
    struct Change
    {
        QString text; // "Micro-batch size 2, 1.20 GiB"
        RunPlan plan;
    };

    // "" if the run fits, or if the memory that it needs is not known.
    QString problem;
    std::vector<Change> changes;
};

// Checks whether a run fits in memory. `free` is the memory in bytes that is free now; 0: unknown.
// Checks only runs on the CPU, because the worker queries the memory of GPUs. May be called on any
// thread; takes up to a second for large schedules.
MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free);
MemoryCheck checkMemory(const RunPlan& plan); // with the memory that is free on this machine

} // namespace app
