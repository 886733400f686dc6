#pragma once

#include "engine/pipeline/run_devices.h"
#include "engine/plan/execution_plan.h"

#include <map>
#include <optional>
#include <vector>

namespace engine {

// Keeps an account of the memory of GPUs from one step of a run to the next: what the devices asked
// for is known, and what the driver says has gone beside that is put down to the step. `devices`
// must outlive it. One thread; none where nothing computes on a GPU.
class GpuMemoryLedger
{
public:
    // When devices have been opened and nothing else has happened.
    explicit GpuMemoryLedger(const RunDevices& devices);

    // What has gone since the last call beside what was asked for is this holder's; none: nobody
    // knows whose, and it shows as a difference.
    void step(std::optional<GpuHolder> holder);

    // Now. `plan` is what the arenas were laid out by.
    std::vector<GpuMemory> account(const ExecutionPlan& plan) const;

private:
    struct Entry
    {
        GpuMemory memory;
        Bytes beside = 0; // what was gone beside what was asked for, at the last call
    };
    std::map<int, GpuMemoryUse> readAll() const;

    const RunDevices& m_devices;
    std::map<int, Entry> m_entries; // [GPU]
};

} // namespace engine
