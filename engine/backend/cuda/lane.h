#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace engine::cuda {

// Where the ops of one virtual device run, in their order: a stream, and memory for one op at a
// time, which the matrix products and the reductions share. Owned by the device.
struct Lane
{
    static constexpr std::size_t kScratch = std::size_t{32}
        << 20; // bytes; what Hopper's products want

    cudaStream_t stream = nullptr;
    float* scratch = nullptr; // 256-byte aligned
};

} // namespace engine::cuda
