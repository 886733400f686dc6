#pragma once

#include "engine/backend/cuda/kernels/flash.h"
#include "engine/backend/cuda/kernels/launch.h"

// Code shared by the fp32 kernels of flash attention: tiles in shared memory and their products. A
// block has 16 by 16 threads. Thread (y, x) computes rows y, y + 16, ... and columns x, x + 16, ...
// of a product. The 16 threads of a row are half a warp, so a warp reads two rows and 16 adjacent
// columns of shared memory. Rows are padded by one number to avoid bank conflicts.
namespace engine::cuda::flash {

constexpr int kSide = 16;
constexpr int kColumns = 32; // keys per tile

// The number of rows of a tile of queries. It is smaller for larger heads, so that all tiles fit
// into 48 KiB. kSize is the head size, rounded up; the padding is 0.
template<int kSize>
constexpr int kRows = kSize <= 64 ? 64 : 32;

template<int kCount, int kWidth>
struct Tile
{
    float at[kCount][kWidth + 1];
};

// The sizes and the mask of the head that a block computes.
struct Head
{
    int size, sequence, slice, group; // group: query heads per key head
    bool causal;
    float scale;

    __host__ __device__ explicit Head(const AttentionShape& shape, int ofSlice)
        : size(shape.headSize)
        , sequence(shape.sequence)
        , slice(ofSlice)
        , group(shape.heads / shape.keyHeads)
        , causal(shape.mask == AttentionMask::Causal)
        , scale(1.0F / sqrtf(static_cast<float>(shape.headSize)))
    { }

    __device__ bool sees(int row, int ofSlice, int column) const
    {
        return row < sequence && column < sequence && (!causal || ofSlice < slice || column <= row);
    }
    // The number of columns of slice `ofSlice` to which the first `rows` rows of this slice attend.
    __device__ int seen(int ofSlice, int rows) const
    {
        if (!causal || ofSlice < slice)
            return sequence;
        return rows < sequence ? rows : sequence;
    }
};

// Reads rows first, first + 1, ... of a matrix of `count` rows. Numbers beyond the matrix or beyond
// the head's `size` columns become 0. Adjacent threads read adjacent numbers.
template<int kCount, int kWidth, class Real>
__device__ inline void read(Tile<kCount, kWidth>& tile, const Real* from, int stride, int first,
                            int count, int size)
{
    for (int i = static_cast<int>(threadIdx.x); i < kCount * kWidth; i += kThreads) {
        const int row = i / kWidth, column = i % kWidth;
        const bool exists = first + row < count && column < size;
        tile.at[row][column] = exists
            ? static_cast<float>(from[static_cast<std::ptrdiff_t>(first + row) * stride + column])
            : 0.0F;
    }
}

// The index of a tile (its row or its column) over which a product sums.
enum class Inner { Row, Column };

template<Inner kInner, int kCount, int kWidth>
__device__ inline float numberOf(const Tile<kCount, kWidth>& tile, int outer, int inner)
{
    return kInner == Inner::Row ? tile.at[inner][outer] : tile.at[outer][inner];
}

// Adds this thread's part of the product of two tiles to `sums`. For thread (y, x), sums[i][j] is
// the element of the product in row y + 16 i and column x + 16 j. Terms are added in the order of
// the inner index.
template<Inner kOfA, Inner kOfB, int kI, int kJ, int kM, int kK, int kN, int kWidth>
__device__ inline void addProducts(float (&sums)[kI][kJ], const Tile<kM, kK>& a,
                                   const Tile<kN, kWidth>& b)
{
    constexpr int kCount = kOfA == Inner::Row ? kM : kK;
    static_assert(kCount == (kOfB == Inner::Row ? kN : kWidth));
    const int y = static_cast<int>(threadIdx.x) / kSide, x = static_cast<int>(threadIdx.x) % kSide;
#pragma unroll 4
    for (int k = 0; k < kCount; ++k) {
        float left[kI], right[kJ];
        for (int i = 0; i < kI; ++i)
            left[i] = numberOf<kOfA>(a, y + kSide * i, k);
        for (int j = 0; j < kJ; ++j)
            right[j] = numberOf<kOfB>(b, x + kSide * j, k);
        for (int i = 0; i < kI; ++i)
            for (int j = 0; j < kJ; ++j)
                sums[i][j] += left[i] * right[j];
    }
}

// Combines the values of the 16 threads of a row. All 16 threads get the same bits.
template<class Combine>
__device__ inline float overRow(float value, Combine combine)
{
    for (int distance = kSide / 2; distance > 0; distance /= 2)
        value = combine(value, __shfl_xor_sync(0xffffffffU, value, distance));
    return value;
}

// Calls launch<kSize>() with the head size, rounded up.
template<class Launch>
void bySize(int size, const Launch& launch)
{
    CHECK(size <= kLargestFlashHead); // checked in attention.cpp
    if (size <= 32)
        launch.template operator()<32>();
    else if (size <= 64)
        launch.template operator()<64>();
    else
        launch.template operator()<128>();
}

} // namespace engine::cuda::flash
