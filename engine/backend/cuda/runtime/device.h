#pragma once

#include "engine/backend/cuda/runtime/gpu_clock.h"
#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"

namespace engine::cuda {

// Where a device is: a whole GPU, or some of its multiprocessors.
struct DevicePart
{
    int gpu = 0;
    std::shared_ptr<const Partition> partition; // none: the whole GPU
    // Of the GPU, one for all its partitions, or where events are their own one for each. Of the
    // partition, which is kept for longer.
    std::shared_ptr<GpuClock> clock;
    Bytes before = 0; // of its memory that was used by then
    int number
        = -1; // of the device among those that run at the same time; -1: it emulates them all
};

// std::bad_alloc; std::runtime_error says what CUDA says.
std::unique_ptr<Device> makeDevice(const DevicePart& part);

// The first `count` GPUs, or as many equal partitions of fewer (device_placement.h).
std::vector<std::unique_ptr<Device>> makeDevices(int count, Carrier carrier = Carrier::Auto);

} // namespace engine::cuda
