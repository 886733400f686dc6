#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace engine::cuda {

// The stream that executes the ops of one device, and scratch memory for one op at a time, which
// matrix products and reductions share. Owned by the device.
struct OpStream
{
    // Sizes in bytes. The workspace of matrix products follows the recommendation for Hopper; the
    // rest is for intermediate results of an op.
    static constexpr std::size_t kWorkspace = std::size_t{32} << 20,
                                 kIntermediate = std::size_t{1} << 20,
                                 kScratch = kWorkspace + kIntermediate;

    cudaStream_t stream = nullptr;
    float* scratch = nullptr; // aligned to 256 bytes; kScratch bytes
    // The limit of shared memory per block: 99 KiB for compute capability 8.6, 8.9 and 12.0, more
    // for others.
    std::size_t sharedMemory = std::size_t{99} << 10;

    // Scratch memory for an op's intermediate results: kIntermediate bytes after the workspace of
    // matrix products.
    float* intermediate() const { return scratch + kWorkspace / sizeof(float); }
};

} // namespace engine::cuda
