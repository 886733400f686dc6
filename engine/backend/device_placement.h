#pragma once

#include "engine/base/id_vector.h"

#include <cstdint>

namespace engine {

// Places the devices of a pipeline on GPUs: the same number on each GPU, consecutive devices
// together, so that all partitions are equal. 4 devices on 3 GPUs use two GPUs with two devices
// each.
struct DevicePlacement
{
    int gpus = 0;   // number of GPUs used, from the first on
    int perGpu = 0; // devices per GPU; 1: each device is a whole GPU

    constexpr int gpuOf(int device) const { return device / perGpu; }
};

// The GPUs used and the transport between devices (`--transport`).
enum class Carrier : std::uint8_t {
    Auto,  // all GPUs: copies within a GPU and between GPUs
    Local, // the first GPU only: copies within it
    Peer,  // one GPU per device: copies between GPUs
    Nccl,  // one GPU per device: messages and all-reduces of NCCL
};
constexpr const char* carrierName(Carrier carrier)
{
    constexpr EnumArray<Carrier, const char*, 4> kNames{"auto", "local", "peer", "nccl"};
    return kNames[carrier];
}

// gpus = 0: not enough GPUs.
constexpr DevicePlacement placeDevices(int devices, int gpus, Carrier carrier = Carrier::Auto)
{
    if ((carrier == Carrier::Peer || carrier == Carrier::Nccl) && gpus < devices)
        return {};
    int used = carrier == Carrier::Local ? 1 : gpus < devices ? gpus : devices;
    while (used > 1 && devices % used != 0)
        --used;
    return {used, devices / used};
}

// Multiprocessors of each of `count` equal partitions of a GPU, a multiple of the driver's
// smallest partition; 0: too few. The remainder stays idle, so that partitions are equal.
constexpr int partitionSize(int multiprocessors, int count, int smallest)
{
    return smallest > 0 ? multiprocessors / count / smallest * smallest : 0;
}

} // namespace engine
