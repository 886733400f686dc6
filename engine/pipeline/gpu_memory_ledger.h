#pragma once

#include "engine/pipeline/run_devices.h"
#include "engine/plan/execution_plan.h"

#include <map>
#include <optional>
#include <vector>

namespace engine {

// Attributes GPU memory to the phases of a run: requests of the devices are known, and other
// growth of the driver's count belongs to the current phase. `devices` must outlive it. One
// thread; empty without GPUs.
class GpuMemoryLedger
{
public:
    // Call directly after the devices were opened.
    explicit GpuMemoryLedger(const RunDevices& devices);

    // Attributes growth since the last call that no request explains to this owner; nullopt:
    // unknown, shown as a difference.
    void step(std::optional<GpuHolder> holder);

    // The current state. `plan`: of the arenas.
    std::vector<GpuMemory> account(const ExecutionPlan& plan) const;

private:
    struct Entry
    {
        GpuMemory memory;
        Bytes beside = 0; // unexplained bytes at the last call
    };
    std::map<int, GpuMemoryUse> readAll() const;

    const RunDevices& m_devices;
    std::map<int, Entry> m_entries; // [GPU]
};

} // namespace engine
