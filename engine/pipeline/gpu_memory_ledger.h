#pragma once

#include "engine/pipeline/run_devices.h"
#include "engine/plan/execution_plan.h"

#include <map>
#include <optional>
#include <vector>

namespace engine {

// Attributes GPU memory to owners. Each allocation states its purpose; used memory that no
// allocation explains is attributed to the phase of the run in which it appeared. `devices` must
// outlive the ledger. Not thread-safe; empty without GPUs.
class GpuMemoryLedger
{
public:
    // Construct it directly after opening the devices.
    explicit GpuMemoryLedger(const RunDevices& devices);

    // Attributes to `owner` the unexplained memory that appeared since the last call. nullopt
    // leaves this memory without an owner (GpuMemory::differenceShare()).
    void step(std::optional<GpuMemoryOwner> owner);

    // Returns the memory in use on each GPU. `plan` divides the arenas into their contents.
    std::vector<GpuMemory> account(const ExecutionPlan& plan) const;

private:
    struct Entry
    {
        GpuMemory memory;
        Bytes unexplained = 0; // bytes that no allocation explained at the last call
    };
    std::map<int, GpuMemoryUse> readAll() const;

    const RunDevices& m_devices;
    std::map<int, Entry> m_entries; // [GPU]
};

} // namespace engine
