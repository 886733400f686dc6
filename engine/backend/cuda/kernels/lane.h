#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace engine::cuda {

// Where the ops of one virtual device run, in their order: a stream, and memory for one op at a
// time, which the matrix products and the reductions share. Owned by the device.
struct Lane
{
    // Bytes. The products' workspace is what Hopper's want; the rest is for what an op makes beside
    // a product.
    static constexpr std::size_t kWorkspace = std::size_t{32} << 20, kBeside = std::size_t{1} << 20,
                                 kScratch = kWorkspace + kBeside;

    cudaStream_t stream = nullptr;
    float* scratch = nullptr; // 256-byte aligned; kScratch
    // Bytes that a block of the GPU may ask for: 99 KiB where its capability is 8.6, 8.9 or 12.0,
    // else more.
    std::size_t sharedMemory = std::size_t{99} << 10;

    float* beside() const { return scratch + kWorkspace / sizeof(float); } // kBeside
};

} // namespace engine::cuda
