#pragma once

#include "engine/backend/cuda/runtime/gpu_clock.h"
#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"

namespace engine::cuda {

// The hardware of a device: a whole GPU, or a partition of it.
struct DevicePart
{
    int gpu = 0;
    std::shared_ptr<const Partition> partition; // nullptr: the whole GPU
    // Clock of the GPU, shared by its partitions, or of the partition if it has its own events.
    std::shared_ptr<GpuClock> clock;
    Bytes before = 0; // memory in use when it was opened
    int number = -1;  // index of the device among those that run concurrently; -1: it emulates all
};

// Throws std::bad_alloc, or std::runtime_error with CUDA's message.
std::unique_ptr<Device> makeDevice(const DevicePart& part);

// The first `count` GPUs, or as many equal partitions of fewer GPUs (device_placement.h).
std::vector<std::unique_ptr<Device>> makeDevices(int count, Carrier carrier = Carrier::Auto);

} // namespace engine::cuda
