#pragma once

#include <cstdint>

namespace engine {

// Devices of a pipeline on the GPUs of a machine: as many on each, neighbours beside each other, so
// that all have equal parts. Of 4 devices on 3 GPUs two GPUs take two each.
struct DevicePlacement
{
    int gpus = 0;   // that are used, the first ones
    int perGpu = 0; // devices on each; 1: a whole GPU a device

    constexpr int gpuOf(int device) const { return device / perGpu; }
};

// Which GPUs devices are placed on, and so which transport their messages use (`--transport`).
enum class Carrier : std::uint8_t {
    Auto,  // as many GPUs as there are: copies within a GPU and between GPUs
    Local, // the first GPU alone: copies within it
    Peer,  // a GPU for each device: copies between them
    Nccl,  // a GPU for each device: NCCL's messages and sums
};
constexpr const char* carrierName(Carrier carrier)
{
    constexpr const char* kNames[]{"auto", "local", "peer", "nccl"};
    return kNames[static_cast<std::uint8_t>(carrier)];
}

// No GPUs: they do not suffice.
constexpr DevicePlacement placeDevices(int devices, int gpus, Carrier carrier = Carrier::Auto)
{
    if ((carrier == Carrier::Peer || carrier == Carrier::Nccl) && gpus < devices)
        return {};
    int used = carrier == Carrier::Local ? 1 : gpus < devices ? gpus : devices;
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
