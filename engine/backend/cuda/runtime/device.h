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
    // Partitions share the clock of their GPU, except that a partition with Events::Own has its own
    // clock.
    std::shared_ptr<GpuClock> clock;
    Bytes before = 0; // bytes in use on the GPU when the device was opened
    int number = -1;  // index among the concurrent devices; -1: one device emulates all
};

// Throws std::bad_alloc, or std::runtime_error with CUDA's message.
std::unique_ptr<Device> makeDevice(const DevicePart& part);

// Opens `count` devices: the first `count` GPUs or, if there are fewer, equal partitions of GPUs
// (device_placement.h).
std::vector<std::unique_ptr<Device>> makeDevices(int count,
                                                 TransportChoice transport = TransportChoice::Auto);

} // namespace engine::cuda
