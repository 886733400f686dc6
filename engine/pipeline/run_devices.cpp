#include "engine/pipeline/run_devices.h"

#include "engine/backend/cpu/cpu_device.h"
#include "engine/backend/cuda_device.h"
#include "engine/backend/cuda_report.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_schedule.h"

#include <fmt/format.h>

#include <set>

namespace engine {
namespace {

Result<RunDevices> onCpu(Mode mode, int count)
{
    // The threads of a live run compute at the same time; this one measures the peak before.
    auto cpu = TRY(openCpuDevice(1, mode == Mode::Live ? count + 1 : 1));
    return RunDevices{{std::move(cpu)}, mode, {}};
}

Result<RunDevices> onFirstGpu(std::string note)
{
    auto gpu = TRY(withAdvice(openCudaDevice(), "; use --backend cpu to run without a GPU"));
    return RunDevices{{std::move(gpu)}, Mode::Emulate, std::move(note)};
}

// Does not fall back to another transport, because NCCL was requested explicitly.
Result<RunDevices> onNccl(int count, const std::atomic<bool>& cancel)
{
    auto nccl = TRY(
        withAdvice(openNccl(cancel), "; use --transport peer to copy between GPUs without NCCL"));
    auto live = openCudaDevices(count, TransportChoice::Nccl);
    if (!live) {
        TRY(onFirstGpu({}));
        return tl::unexpected(live.error());
    }
    return RunDevices{std::move(*live), Mode::Live, {}, std::move(nccl)};
}

std::atomic<bool> areLost = false;

constexpr EnumArray<MemoryCategory, GpuMemoryOwner, kMemoryCategories> kOwnerOf{
    GpuMemoryOwner::Weights, GpuMemoryOwner::Gradients, GpuMemoryOwner::Optimizer,
    GpuMemoryOwner::Stash,   GpuMemoryOwner::Buffers,   GpuMemoryOwner::Other};

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

std::string RunDevices::transport() const
{
    if (!haveOwnGpus())
        return "";
    std::set<int> gpus;
    for (const auto& device : devices)
        gpus.insert(device->gpu());
    if (communicators)
        return transportChoiceName(TransportChoice::Nccl);
    if (gpus.size() == devices.size())
        return transportChoiceName(TransportChoice::Peer);
    return gpus.size() == 1 ? "local" : "local, peer";
}

MemorySpaces RunDevices::spaces() const
{
    std::set<int> counted;
    MemorySpaces spaces;
    for (const auto& device : devices)
        if (counted.insert(device->gpu()).second)
            spaces.push_back({device->info().memory, device->gpu()});
    return spaces;
}

Result<RunDevices> openDevices(Backend backend, Mode mode, int count, TransportChoice transport,
                               const std::atomic<bool>& cancel)
{
    if (backend == Backend::Cpu)
        return onCpu(mode, count);
    setCudaEnvironment();
    if (mode != Mode::Live)
        return onFirstGpu({});
    if (transport == TransportChoice::Nccl)
        return onNccl(count, cancel);
    auto live = openCudaDevices(count, transport);
    if (live)
        return RunDevices{std::move(*live), Mode::Live, {}};
    return onFirstGpu(
        fmt::format("{} devices cannot run at the same time here, so this run is emulated: {}",
                    count, live.error().message));
}

IdVector<DeviceId, ExecutorDevice> makeExecutorDevices(
    const RunDevices& on, Models& models,
    const std::function<std::unique_ptr<const PipelineModel<float>>(const Device&)>& make)
{
    IdVector<DeviceId, ExecutorDevice> executorDevices;
    for (const auto& device : on.devices) {
        device->bindThread();
        executorDevices.push_back({*device, *models.emplace_back(make(*device))});
    }
    return executorDevices;
}

Mode defaultMode(const Experiment& experiment)
{
    if (experiment.backend == Backend::Cpu)
        return Mode::Emulate;
    if (experiment.transport == TransportChoice::Nccl)
        return Mode::Live;
    setCudaEnvironment();
    // The schedule, which may be a file, is built first, because it determines the number of
    // devices.
    const auto schedule = scheduleOf(experiment);
    const CudaReport report = cudaReport();
    const bool suffice = schedule && report.reason.empty()
        && std::ssize(report.devices)
            >= schedule->shape.devices * std::ptrdiff_t{schedule->shape.dataParallel};
    return suffice ? Mode::Live : Mode::Emulate;
}

bool devicesAreLost()
{
    return areLost;
}

void markDevicesLost()
{
    areLost = true;
}

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
