#include "engine/pipeline/gpu_memory_ledger.h"

#include "engine/plan/memory_need.h"

namespace engine {
namespace {

constexpr GpuHolder kHolderOf[kMemoryCategories]{GpuHolder::Weights, GpuHolder::Gradients,
                                                 GpuHolder::Optimizer, GpuHolder::Stash,
                                                 GpuHolder::Buffers};

void addArena(const DevicePlan& plan, GpuMemory& memory)
{
    Bytes idle = plan.arena;
    for (std::size_t category = 0; category < kMemoryCategories; ++category) {
        memory[kHolderOf[category]] += plan.full[category];
        idle -= plan.full[category];
    }
    memory[GpuHolder::Idle] += idle;
}

void addTaken(const GpuMemoryUse& use, GpuMemory& memory)
{
    const auto of
        = [&use](MemoryFor purpose) { return use.taken[static_cast<std::size_t>(purpose)]; };
    memory[GpuHolder::Workspaces] = of(MemoryFor::Workspace);
    memory[GpuHolder::Staging] = of(MemoryFor::Staging);
    memory[GpuHolder::Losses] = of(MemoryFor::Losses);
    memory[GpuHolder::Other] = of(MemoryFor::Other);
    memory[GpuHolder::Rounding] = use.rounding;
    memory.used = use.used;
}

} // namespace

GpuMemoryLedger::GpuMemoryLedger(const RunDevices& devices)
    : m_devices(devices)
{
    for (const auto& [gpu, use] : readAll()) {
        Entry& entry = m_entries[gpu];
        entry.memory.gpu = gpu;
        entry.memory[GpuHolder::Contexts] = use.before;
        entry.beside = use.before;
    }
    step(GpuHolder::Partitions);
}

// [GPU] the sum over all devices of the GPU.
std::map<int, GpuMemoryUse> GpuMemoryLedger::readAll() const
{
    std::map<int, GpuMemoryUse> all;
    if (!m_devices.isCuda())
        return all;
    for (const auto& device : m_devices.devices) {
        const GpuMemoryUse own = device->memoryUse();
        GpuMemoryUse& sum = all[device->gpu()];
        for (std::size_t i = 0; i < kMemoryPurposes; ++i)
            sum.taken[i] += own.taken[i];
        sum.rounding += own.rounding;
        sum.used = own.used;
        sum.before = own.before;
    }
    return all;
}

void GpuMemoryLedger::step(std::optional<GpuHolder> holder)
{
    for (const auto& [gpu, use] : readAll()) {
        Entry& entry = m_entries[gpu];
        const Bytes beside = use.used - use.all();
        if (holder)
            entry.memory[*holder] += beside - entry.beside;
        entry.beside = beside;
    }
}

std::vector<GpuMemory> GpuMemoryLedger::account(const ExecutionPlan& plan) const
{
    std::map<int, GpuMemory> all;
    for (const auto& [gpu, use] : readAll()) {
        GpuMemory& memory = all[gpu] = m_entries.at(gpu).memory;
        addTaken(use, memory);
    }
    const std::size_t devices = plan.devices.size() * static_cast<std::size_t>(plan.width);
    const std::vector<Bytes> reserved
        = m_devices.communicators ? communicatorNeed(plan) : std::vector<Bytes>(devices);
    for (std::size_t i = 0; i < devices && !all.empty(); ++i) {
        const Device& on = m_devices.haveOwnGpus() ? *m_devices.devices[i] : m_devices.first();
        addArena(plan.devices[i % plan.devices.size()], all[on.gpu()]);
        all[on.gpu()].reserved += reserved[i];
    }
    std::vector<GpuMemory> accounts;
    for (const auto& [gpu, memory] : all)
        accounts.push_back(memory);
    return accounts;
}

} // namespace engine
