// The functions that the plug-in exports to open devices (engine/backend/cuda_device.h).
#include "engine/backend/cuda/runtime/allocations.h"
#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda_device.h"
#include "engine/backend/device_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>

namespace engine::cuda {
namespace {

// Enables peer access between the GPUs of this process. Failure is not an error, because the driver
// then copies through the host: without NVSwitch, a GPU has access to at most eight peers.
void openPeers(int gpus)
{
    for (int from = 0; from < gpus; ++from)
        for (int to = 0; to < gpus; ++to) {
            int can = 0;
            if (from == to || cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || can == 0)
                continue;
            const OnGpu on(from);
            cudaDeviceEnablePeerAccess(to, 0);
        }
}

// Tests whether the streams of a partition support live runs. If they do not, the run is emulated
// instead of failing in its first iteration.
void tryOut(const Device& device)
{
    constexpr std::size_t kBytes = 4096;
    const DeviceMemory memory = device.allocate(kBytes);
    const auto begin = device.makeEvent(Device::Timed::Yes);
    const auto end = device.makeEvent(Device::Timed::Yes),
               last = device.makeEvent(Device::Timed::No);
    const auto other = device.makeQueue("trial");
    device.queue()->record(*begin);
    device.fill({memory.get(), kBytes / 2}, std::byte{1});
    device.queue()->record(*end);
    other->wait(*end);
    other->copy({{memory.get(), kBytes / 2},
                 {memory.get() + kBytes / 2, kBytes / 2},
                 device.gpu(),
                 device.gpu()});
    other->record(*last);
    device.queue()->wait(*last);
    std::array<std::byte, kBytes> copied{};
    device.download(memory.get(), copied);
    const bool isRight
        = std::ranges::all_of(copied, [](std::byte byte) { return byte == std::byte{1}; });
    if (!isRight || end->time() < begin->time())
        throw std::runtime_error("streams of a partition do not wait for each other");
}

// Appends `count` devices on a GPU to `devices`. If `numbered`, all of `devices` run concurrently,
// and the number of a device is its index in `devices`.
void makeOn(int gpu, int count, bool numbered, std::vector<std::unique_ptr<Device>>& devices)
{
    check(cudaSetDevice(gpu), "cudaSetDevice");
    check(cudaFree(nullptr), "cudaFree"); // creates the context from which partitions are made
    const Bytes before = usedMemory();
    const auto clock = std::make_shared<GpuClock>(gpu);
    const auto next = [&] { return numbered ? static_cast<int>(devices.size()) : -1; };
    if (count == 1) {
        devices.push_back(makeDevice({gpu, nullptr, clock, before, next()}));
        return;
    }
    for (const auto& partition : makePartitions(gpu, count)) {
        const auto own = partition->events() == Partition::Events::Own
            ? std::make_shared<GpuClock>(gpu, partition.get())
            : clock;
        tryOut(*devices.emplace_back(makeDevice({gpu, partition, own, before, next()})));
    }
}

} // namespace

std::vector<std::unique_ptr<Device>> makeDevices(int count, TransportChoice transport)
{
    int gpus = 0;
    check(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
    const DevicePlacement placement = placeDevices(count, gpus, transport);
    if (placement.gpus == 0)
        throw std::runtime_error(fmt::format(
            "--transport {} needs one GPU for each of {} devices, but there {} {}{}",
            transportChoiceName(transport), count, gpus == 1 ? "is" : "are", gpus,
            transport == TransportChoice::Nccl ? ": NCCL does not support two ranks on one GPU; "
                                                 "use --transport auto to partition GPUs"
                                               : ""));
    std::vector<std::unique_ptr<Device>> devices;
    for (int gpu = 0; gpu < placement.gpus; ++gpu) {
        try {
            makeOn(gpu, placement.perGpu, true, devices);
        } catch (const std::bad_alloc&) {
            throw std::runtime_error(fmt::format(
                "GPU {} does not have enough memory for {} workspaces", gpu, placement.perGpu));
        } catch (const std::exception& error) {
            throw std::runtime_error(
                fmt::format("GPU {} cannot run {} {}: {}", gpu, placement.perGpu,
                            placement.perGpu == 1 ? "device" : "devices", error.what()));
        }
    }
    openPeers(placement.gpus);
    return devices;
}

} // namespace engine::cuda

extern "C" __attribute__((visibility("default"))) engine::Device*
bubblescope_cuda_open(int index, std::string* reason)
try {
    std::vector<std::unique_ptr<engine::Device>> made;
    engine::cuda::makeOn(index, 1, false, made);
    return made.front().release();
} catch (const std::bad_alloc&) {
    *reason = fmt::format("GPU {} does not have enough memory for its workspace", index);
    return nullptr;
} catch (const std::exception& error) {
    *reason = fmt::format("GPU {} cannot be opened: {}", index, error.what());
    return nullptr;
}

extern "C" __attribute__((visibility("default"))) bool
bubblescope_cuda_open_devices(int count, engine::TransportChoice transport,
                              std::vector<engine::Device*>* devices, std::string* reason)
try {
    for (std::unique_ptr<engine::Device>& each : engine::cuda::makeDevices(count, transport))
        devices->push_back(each.release());
    return true;
} catch (const std::exception& error) {
    *reason = error.what();
    return false;
}
