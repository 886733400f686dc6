// Devices as the program asks the plug-in for them (engine/backend/cuda_device.h).
#include "engine/backend/cuda/device.h"
#include "engine/backend/cuda_device.h"
#include "engine/backend/device_placement.h"

#include <fmt/format.h>

#include <new>
#include <stdexcept>

namespace engine::cuda {
namespace {

// GPUs of one process reach each other's memory by peer copies; without direct access the driver
// copies through the host, so that failing here stops nothing.
void openPeers(int gpus)
{
    for (int from = 0; from < gpus; ++from)
        for (int to = 0; to < gpus; ++to) {
            int can = 0;
            if (from == to || cudaDeviceCanAccessPeer(&can, from, to) != cudaSuccess || can == 0)
                continue;
            const OnGpu on(from);
            const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
            if (status != cudaErrorPeerAccessAlreadyEnabled)
                check(status, "access to another GPU");
        }
}

void makeOn(int gpu, int count, std::vector<std::unique_ptr<Device>>& devices)
{
    check(cudaSetDevice(gpu), "choice of the device");
    check(cudaFree(nullptr), "a context"); // partitions are parts of it
    const auto clock = std::make_shared<GpuClock>(gpu);
    if (count == 1) {
        devices.push_back(makeDevice({gpu, nullptr, clock}));
        return;
    }
    for (const auto& partition : makePartitions(gpu, count))
        devices.push_back(makeDevice({gpu, partition, clock}));
}

} // namespace

std::vector<std::unique_ptr<Device>> makeDevices(int count)
{
    int gpus = 0;
    check(cudaGetDeviceCount(&gpus), "counting GPUs");
    const DevicePlacement placement = placeDevices(count, gpus);
    std::vector<std::unique_ptr<Device>> devices;
    for (int gpu = 0; gpu < placement.gpus; ++gpu) {
        try {
            makeOn(gpu, placement.perGpu, devices);
        } catch (const std::bad_alloc&) {
            throw std::runtime_error(
                fmt::format("GPU {} has no memory left for {} workspaces", gpu, placement.perGpu));
        } catch (const std::exception& error) {
            throw std::runtime_error(
                fmt::format("GPU {} cannot be {} {}: {}", gpu, placement.perGpu,
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
    using namespace engine::cuda;
    return makeDevice({index, nullptr, std::make_shared<GpuClock>(index)}).release();
} catch (const std::bad_alloc&) {
    *reason = fmt::format("GPU {} has no memory left for its workspace", index);
    return nullptr;
} catch (const std::exception& error) {
    *reason = fmt::format("GPU {} does not start: {}", index, error.what());
    return nullptr;
}

extern "C" __attribute__((visibility("default"))) bool
bubblescope_cuda_open_devices(int count, std::vector<engine::Device*>* devices, std::string* reason)
try {
    for (std::unique_ptr<engine::Device>& each : engine::cuda::makeDevices(count))
        devices->push_back(each.release());
    return true;
} catch (const std::exception& error) {
    *reason = error.what();
    return false;
}
