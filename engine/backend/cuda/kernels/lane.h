#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace engine::cuda {

// Executes the ops of one device in order: a stream, and scratch memory for one op at a time,
// shared by matrix products and reductions. Owned by the device.
struct Lane
{
    // Bytes. The products' workspace follows the recommendation for Hopper; the rest is for
    // intermediate results of an op.
    static constexpr std::size_t kWorkspace = std::size_t{32} << 20, kBeside = std::size_t{1} << 20,
                                 kScratch = kWorkspace + kBeside;

    cudaStream_t stream = nullptr;
    float* scratch = nullptr; // 256-byte aligned; kScratch
    // Limit of shared memory per block: 99 KiB for compute capability 8.6, 8.9 and 12.0,
    // otherwise more.
    std::size_t sharedMemory = std::size_t{99} << 10;

    float* beside() const { return scratch + kWorkspace / sizeof(float); } // kBeside
};

} // namespace engine::cuda
