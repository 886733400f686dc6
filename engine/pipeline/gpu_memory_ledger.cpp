#include "engine/pipeline/gpu_memory_ledger.h"

#include "engine/plan/memory_need.h"

namespace engine {
namespace {

constexpr EnumArray<MemoryCategory, GpuMemoryOwner, kMemoryCategories> kOwnerOf{
    GpuMemoryOwner::Weights, GpuMemoryOwner::Gradients, GpuMemoryOwner::Optimizer,
    GpuMemoryOwner::Stash, GpuMemoryOwner::Buffers};

void addArena(const DevicePlan& plan, GpuMemory& memory)
{
    Bytes idle = plan.arena;
    for (const MemoryCategory category : plan.full.enumerators()) {
        memory[kOwnerOf[category]] += plan.full[category];
        idle -= plan.full[category];
    }
    memory[GpuMemoryOwner::Idle] += idle;
}

void addTaken(const GpuMemoryUse& use, GpuMemory& memory)
{
    memory[GpuMemoryOwner::Workspaces] = use.taken[MemoryFor::Workspace];
    memory[GpuMemoryOwner::Staging] = use.taken[MemoryFor::Staging];
    memory[GpuMemoryOwner::Losses] = use.taken[MemoryFor::Losses];
    memory[GpuMemoryOwner::Other] = use.taken[MemoryFor::Other];
    memory[GpuMemoryOwner::Rounding] = use.rounding;
    memory.used = use.used;
}

} // namespace

GpuMemoryLedger::GpuMemoryLedger(const RunDevices& devices)
    : m_devices(devices)
{
    for (const auto& [gpu, use] : readAll()) {
        Entry& entry = m_entries[gpu];
        entry.memory.gpu = gpu;
        entry.memory[GpuMemoryOwner::Contexts] = use.before;
        entry.unexplained = use.before;
    }
    step(GpuMemoryOwner::Partitions);
}

// Returns the memory use of each GPU, summed over its devices.
std::map<int, GpuMemoryUse> GpuMemoryLedger::readAll() const
{
    std::map<int, GpuMemoryUse> all;
    if (!m_devices.isCuda())
        return all;
    for (const auto& device : m_devices.devices) {
        const GpuMemoryUse own = device->memoryUse();
        GpuMemoryUse& sum = all[device->gpu()];
        for (const MemoryFor purpose : own.taken.enumerators())
            sum.taken[purpose] += own.taken[purpose];
        sum.rounding += own.rounding;
        sum.used = own.used;
        sum.before = own.before;
    }
    return all;
}

void GpuMemoryLedger::step(std::optional<GpuMemoryOwner> owner)
{
    for (const auto& [gpu, use] : readAll()) {
        Entry& entry = m_entries[gpu];
        const Bytes unexplained = use.used - use.all();
        if (owner)
            entry.memory[*owner] += unexplained - entry.unexplained;
        entry.unexplained = unexplained;
    }
}

std::vector<GpuMemory> GpuMemoryLedger::account(const ExecutionPlan& plan) const
{
    std::map<int, GpuMemory> all;
    for (const auto& [gpu, use] : readAll()) {
        GpuMemory& memory = all[gpu] = m_entries.at(gpu).memory;
        addTaken(use, memory);
    }
    const int devices = plan.devices.size();
    IdVector<DeviceId, Bytes> reserved(static_cast<std::size_t>(devices * plan.width));
    if (m_devices.communicators)
        reserved = communicatorNeed(plan);
    for (const DeviceId d : reserved.ids()) {
        if (all.empty())
            break;
        const Device& on
            = m_devices.haveOwnGpus() ? *m_devices.devices[d.value] : m_devices.first();
        addArena(plan.devices[DeviceId{d.value % devices}], all[on.gpu()]);
        all[on.gpu()].reserved += reserved[d];
    }
    std::vector<GpuMemory> accounts;
    for (const auto& [gpu, memory] : all)
        accounts.push_back(memory);
    return accounts;
}

} // namespace engine
