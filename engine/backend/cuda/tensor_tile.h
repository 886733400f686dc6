#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/backend/cuda/launch.h"
#include "engine/backend/cuda/ptx.h"

// Tiles of bfloat16 in shared memory and their products on tensor cores. A warp makes 16 rows of a
// product; its 16-row operand lies in registers as mma takes it (Rows), the other one is a tile.
namespace engine::cuda::tensor {

constexpr int kSide = 16; // rows of a warp, and the inner numbers of one mma
constexpr int kWarps = kThreads / kWarp;

// kRows rows of kSize numbers. Of the 16-byte pieces of a row the lowest three bits of the index
// are mixed with those of the row, so that the eight rows that ldmatrix reads at a time lie in
// different banks, and neither a copy of a piece nor a read needs more than one turn.
template<int kRows, int kSize>
struct Tile
{
    static constexpr int kPiece = 8, kPieces = kSize / kPiece;
    static_assert(kRows % kSide == 0 && kPieces % 8 == 0);

    __device__ bfloat16* at(int row, int column)
    {
        const int piece = column / kPiece ^ row % 8;
        return numbers + row * kSize + piece * kPiece + column % kPiece;
    }

    // Rows first, first + 1, ... of a matrix of `count` rows, whose rows are aligned to 16 bytes;
    // zeros behind its end. Begun by all threads of the block, done as ptx::copyAsync() says.
    __device__ void fetch(const bfloat16* from, int stride, int first, int count)
    {
        for (int i = static_cast<int>(threadIdx.x); i < kRows * kPieces; i += kThreads) {
            const int row = i / kPieces, column = i % kPieces * kPiece;
            const bool exists = first + row < count;
            const std::ptrdiff_t line = exists ? first + row : 0;
            ptx::copyAsync(at(row, column), from + line * stride + column, exists);
        }
    }

    alignas(128) bfloat16 numbers[kRows * kSize];
};

__device__ inline int laneOfWarp()
{
    return static_cast<int>(threadIdx.x) % kWarp;
}
__device__ inline int warpOfBlock()
{
    return static_cast<int>(threadIdx.x) / kWarp;
}
// The first of the two rows of 16 that this lane has numbers of (the other is 8 below), and the
// first of its two columns of 8.
__device__ inline int rowOfLane()
{
    return laneOfWarp() / 4;
}
__device__ inline int columnOfLane()
{
    return laneOfWarp() % 4 * 2;
}

// 16 rows of kSize numbers as left operands, and 16 rows of kSize sums.
template<int kSize>
struct Rows
{
    std::uint32_t at[kSize / kSide][4];
};
template<int kSize>
struct Sums
{
    float at[kSize / 8][4] = {};
};

// Rows first .. first + 15 of a matrix of `count` rows in the device's memory; zeros behind its
// end.
template<int kSize>
__device__ inline Rows<kSize> readRows(const bfloat16* from, int stride, int first, int count)
{
    Rows<kSize> rows;
#pragma unroll
    for (int step = 0; step < kSize / kSide; ++step)
#pragma unroll
        for (int part = 0; part < 4; ++part) {
            const int row = first + rowOfLane() + part % 2 * 8;
            const int column = step * kSide + columnOfLane() + part / 2 * 8;
            const bfloat16* pair = from + static_cast<std::ptrdiff_t>(row) * stride + column;
            rows.at[step][part] = row < count ? *reinterpret_cast<const std::uint32_t*>(pair) : 0U;
        }
    return rows;
}

// Step `step` of rows first .. first + 15 of a tile.
template<int kRows, int kSize>
__device__ inline void loadStep(std::uint32_t (&to)[4], Tile<kRows, kSize>& tile, int first,
                                int step)
{
    const int lane = laneOfWarp();
    ptx::loadMatrices(to, tile.at(first + lane % 16, step * kSide + lane / 16 * 8));
}

// sums += rows tile^T: a column of the result for every row of the tile. left(step) fills the four
// registers of a step.
template<int kCount, int kSize, class Left>
__device__ inline void addRowProducts(Sums<kCount>& sums, Tile<kCount, kSize>& tile,
                                      const Left& left)
{
    const int matrix = laneOfWarp() / 8, row = laneOfWarp() % 8;
#pragma unroll
    for (int step = 0; step < kSize / kSide; ++step) {
        std::uint32_t a[4];
        left(a, step);
#pragma unroll
        for (int n = 0; n < kCount; n += kSide) {
            std::uint32_t b[4];
            ptx::loadMatrices(b, tile.at(n + matrix / 2 * 8 + row, step * kSide + matrix % 2 * 8));
            ptx::multiplyAdd(sums.at[n / 8], a, b[0], b[1]);
            ptx::multiplyAdd(sums.at[n / 8 + 1], a, b[2], b[3]);
        }
    }
}
template<int kCount, int kSize>
__device__ inline void addRowProducts(Sums<kCount>& sums, const Rows<kSize>& rows,
                                      Tile<kCount, kSize>& tile)
{
    addRowProducts(sums, tile, [&](std::uint32_t(&a)[4], int step) {
        for (int part = 0; part < 4; ++part)
            a[part] = rows.at[step][part];
    });
}
// Of the rows first .. first + 15 of another tile.
template<int kCount, int kOthers, int kSize>
__device__ inline void addRowProducts(Sums<kCount>& sums, Tile<kOthers, kSize>& other, int first,
                                      Tile<kCount, kSize>& tile)
{
    addRowProducts(sums, tile,
                   [&](std::uint32_t(&a)[4], int step) { loadStep(a, other, first, step); });
}

// sums += weights tile, with weights rounded to bfloat16: sums of one product lie in the lanes as
// the left operand of the next is wanted.
template<int kCount, int kSize>
__device__ inline void addProducts(Sums<kSize>& sums, const Sums<kCount>& weights,
                                   Tile<kCount, kSize>& tile)
{
    const int matrix = laneOfWarp() / 8, row = laneOfWarp() % 8;
#pragma unroll
    for (int k = 0; k < kCount; k += kSide) {
        const float(&left)[4] = weights.at[k / 8];
        const float(&right)[4] = weights.at[k / 8 + 1];
        const std::uint32_t a[4] = {ptx::pack(left[0], left[1]), ptx::pack(left[2], left[3]),
                                    ptx::pack(right[0], right[1]), ptx::pack(right[2], right[3])};
#pragma unroll
        for (int n = 0; n < kSize; n += kSide) {
            std::uint32_t b[4];
            ptx::loadTransposed(b, tile.at(k + matrix % 2 * 8 + row, n + matrix / 2 * 8));
            ptx::multiplyAdd(sums.at[n / 8], a, b[0], b[1]);
            ptx::multiplyAdd(sums.at[n / 8 + 1], a, b[2], b[3]);
        }
    }
}

// Over the four lanes that share a row; all get the same bits.
template<class Combine>
__device__ inline float overRow(float value, Combine combine)
{
    value = combine(value, __shfl_xor_sync(0xffffffffU, value, 1));
    return combine(value, __shfl_xor_sync(0xffffffffU, value, 2));
}

// Row `row` (0 or 1 of this lane's two) times `factor`, rounded, to kSize numbers at `to`.
template<int kSize>
__device__ inline void writeRow(bfloat16* to, const Sums<kSize>& sums, int row, float factor)
{
#pragma unroll
    for (int n = 0; n < kSize; n += 8) {
        const float(&pair)[4] = sums.at[n / 8];
        *reinterpret_cast<std::uint32_t*>(to + n + columnOfLane())
            = ptx::pack(pair[2 * row] * factor, pair[2 * row + 1] * factor);
    }
}

} // namespace engine::cuda::tensor
