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

Result<RunDevices> onCpu(Mode mode)
{
    auto cpu = TRY(openCpuDevice());
    return RunDevices{{std::move(cpu)}, mode, {}};
}

Result<RunDevices> onFirstGpu(std::string note)
{
    auto gpu = openCudaDevice();
    if (!gpu)
        return fail(gpu.error().code,
                    gpu.error().message + "; use --backend cpu to run without a GPU");
    return RunDevices{{std::move(*gpu)}, Mode::Emulate, std::move(note)};
}

// Does not fall back to another transport, because NCCL was requested explicitly.
Result<RunDevices> onNccl(int count, const std::atomic<bool>& cancel)
{
    auto nccl = openNccl(cancel);
    if (!nccl)
        return fail(nccl.error().code,
                    nccl.error().message
                        + "; use --transport peer to copy between GPUs without NCCL");
    auto live = openCudaDevices(count, TransportChoice::Nccl);
    if (!live) {
        TRY(onFirstGpu({}));
        return tl::unexpected(live.error());
    }
    return RunDevices{std::move(*live), Mode::Live, {}, std::move(*nccl)};
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
        return onCpu(mode);
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

} // namespace engine
