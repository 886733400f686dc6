#pragma once

#include "engine/base/id_vector.h"

#include <cstdint>

namespace engine {

// The placement of a pipeline's devices on GPUs. Each GPU has the same number of devices, so that
// all partitions are equal. The devices of a GPU are consecutive. For example, 4 devices on 3 GPUs
// use two GPUs with two devices each.
struct DevicePlacement
{
    int gpus = 0;   // number of GPUs used, starting with GPU 0
    int perGpu = 0; // devices per GPU; 1: each device is a whole GPU

    constexpr int gpuOf(int device) const { return device / perGpu; }
};

// The choice of GPUs and transport (`--transport`).
enum class TransportChoice : std::uint8_t {
    Auto,  // all GPUs: copies within a GPU and between GPUs
    Local, // all devices on the first GPU: copies within that GPU
    Peer,  // one GPU per device: copies between GPUs
    Nccl,  // one GPU per device: messages and all-reduces of NCCL
};
constexpr const char* transportChoiceName(TransportChoice transport)
{
    constexpr EnumArray<TransportChoice, const char*, 4> kNames{"auto", "local", "peer", "nccl"};
    return kNames[transport];
}

// gpus = 0 if there are not enough GPUs.
constexpr DevicePlacement placeDevices(int devices, int gpus,
                                       TransportChoice transport = TransportChoice::Auto)
{
    if ((transport == TransportChoice::Peer || transport == TransportChoice::Nccl)
        && gpus < devices)
        return {};
    int used = transport == TransportChoice::Local ? 1 : gpus < devices ? gpus : devices;
    while (used > 1 && devices % used != 0)
        --used;
    return {used, devices / used};
}

// Partitions are equal and a multiple of the driver's smallest one, so some multiprocessors may
// stay idle; 0 if the GPU has too few.
constexpr int partitionSize(int multiprocessors, int count, int smallest)
{
    return smallest > 0 ? multiprocessors / count / smallest * smallest : 0;
}

} // namespace engine
