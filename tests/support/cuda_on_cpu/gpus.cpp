// What the emulated GPUs say of themselves (cuda_runtime_api.h).
#include "tests/support/cuda_on_cpu/machine.h"

#include <algorithm>
#include <cstdio>

using cuda_on_cpu::pluggedIn;

cudaError_t cudaGetDeviceCount(int* count)
{
    *count = pluggedIn().count;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device)
{
    if (device < 0 || device >= pluggedIn().count)
        return cudaErrorInvalidDevice;
    std::snprintf(properties->name, sizeof properties->name, "GPU on the CPU");
    properties->multiProcessorCount = pluggedIn().multiprocessors;
    properties->totalGlobalMem = pluggedIn().memory;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device)
{
    if (device < 0 || device >= pluggedIn().count)
        return cudaErrorInvalidDevice;
    *value = attribute == cudaDevAttrMultiProcessorCount ? pluggedIn().multiprocessors
                                                         : pluggedIn().sharedMemory;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer)
{
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned)
{
    int gpu = 0;
    cudaGetDevice(&gpu);
    const int before = peer > gpu ? peer - 1 : peer; // peers that were enabled, in their order
    return before < pluggedIn().peers ? cudaSuccess : cudaErrorTooManyPeers;
}

cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total)
{
    int gpu = 0;
    cudaGetDevice(&gpu);
    *total = pluggedIn().memory;
    *available = *total - std::min(*total, cuda_on_cpu::usedMemory(gpu));
    return cudaSuccess;
}
