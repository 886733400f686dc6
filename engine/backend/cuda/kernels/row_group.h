#pragma once

#include "engine/backend/cuda/kernels/elements.h"

// Reduces each row of a matrix to one number. kGroup threads share a row: a warp for short rows, a
// block for long ones. Sums have a fixed order. First each thread adds its own numbers. Then the
// threads of a warp add their sums in a butterfly, in which both threads of a pair add the same two
// numbers. Then the sums of the warps are added in order.
namespace engine::cuda {

constexpr int kShortRow = 1024; // numbers: 32 per thread of a warp

template<int kGroup>
struct RowGroup
{
    static_assert(kGroup == kWarp || kGroup == kThreads);
    static constexpr int kRowsOfBlock = kThreads / kGroup;

    __device__ static int row()
    {
        return static_cast<int>(blockIdx.x) * kRowsOfBlock + static_cast<int>(threadIdx.x) / kGroup;
    }
    __device__ static int lane() { return static_cast<int>(threadIdx.x) % kGroup; }

    // Combines a value of every thread of the group; all threads must call it and get the same
    // bits. If the group is a block, the call synchronizes the block.
    template<class Combine>
    __device__ static float reduce(float value, Combine combine)
    {
        for (int distance = kWarp / 2; distance > 0; distance /= 2)
            value = combine(value, __shfl_xor_sync(0xffffffffU, value, distance));
        if constexpr (kGroup == kThreads) {
            __shared__ float warps[kThreads / kWarp];
            if (threadIdx.x % kWarp == 0)
                warps[threadIdx.x / kWarp] = value;
            __syncthreads();
            value = warps[0];
            for (int warp = 1; warp < kThreads / kWarp; ++warp)
                value = combine(value, warps[warp]);
            __syncthreads(); // `warps` may be reused
        }
        return value;
    }
    __device__ static float sum(float value)
    {
        return reduce(value, [](float a, float b) { return a + b; });
    }
    __device__ static float largest(float value)
    {
        return reduce(value, [](float a, float b) { return fmaxf(a, b); });
    }
};

// Launches a kernel over rows of Real. `Kernels` has a static template member kernel<kCount,
// kGroup>() that returns the kernel for kCount numbers per access and kGroup threads per row.
template<class Kernels, class Real, class Argument>
void launchRows(cudaStream_t stream, int rows, int columns, bool aligned, const Argument& argument)
{
    const auto count = static_cast<std::size_t>(rows);
    const auto start = [&](auto* onWarp, auto* onBlock) {
        if (columns <= kShortRow)
            launch(stream, blocksFor(count, RowGroup<kWarp>::kRowsOfBlock), onWarp, argument);
        else
            launch(stream, blocksFor(count, 1), onBlock, argument);
    };
    if (aligned)
        start(Kernels::template kernel<vectorOf<Real>(), kWarp>(),
              Kernels::template kernel<vectorOf<Real>(), kThreads>());
    else
        start(Kernels::template kernel<1, kWarp>(), Kernels::template kernel<1, kThreads>());
}

} // namespace engine::cuda
