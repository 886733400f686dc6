#pragma once

#include "app/models/plan/run_plan.h"

#include <QString>

#include <vector>

namespace app {

// Whether a run fits in the memory of this machine. The run is planned, but not started.
struct MemoryCheck
{
    // A change with which the run fits.
    struct Change
    {
        QString text; // "Micro-batch size 2, 1.20 GiB"
        RunPlan plan;
    };

    QString problem; // "" if the run fits, or if its need is not known
    std::vector<Change> changes;
};

// May be called on any thread; takes up to a second for large schedules. Checks runs on the CPU
// only, because the worker queries the memory of GPUs. `free` is the memory in bytes that is free
// now; 0: unknown.
MemoryCheck checkMemory(const RunPlan& plan, engine::Bytes free);
MemoryCheck checkMemory(const RunPlan& plan); // with the memory that is free on this machine

} // namespace app
