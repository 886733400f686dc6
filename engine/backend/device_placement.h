#pragma once

namespace engine {

// Devices of a pipeline on the GPUs of a machine: as many on each, neighbours beside each other, so
// that all have equal parts. Of 4 devices on 3 GPUs two GPUs take two each.
struct DevicePlacement
{
    int gpus = 0;   // that are used, the first ones
    int perGpu = 0; // devices on each; 1: a whole GPU a device

    constexpr int gpuOf(int device) const { return device / perGpu; }
};

constexpr DevicePlacement placeDevices(int devices, int gpus)
{
    int used = gpus < devices ? gpus : devices;
    while (used > 1 && devices % used != 0)
        --used;
    return {used, devices / used};
}

// Multiprocessors of each of `count` equal partitions of a GPU, a multiple of the smallest one that
// the driver makes; 0: there are too few. What is left over stays idle: symmetry matters more.
constexpr int partitionSize(int multiprocessors, int count, int smallest)
{
    return smallest > 0 ? multiprocessors / count / smallest * smallest : 0;
}

} // namespace engine
