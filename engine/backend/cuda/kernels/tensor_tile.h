#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/ptx.h"

// Tiles of bfloat16 in shared memory and their products on tensor cores. A warp computes 16 rows of
// a product. Its 16-row operand is in registers in the layout of mma (Rows); the other operand is a
// tile.
namespace engine::cuda::tensor {

constexpr int kSide = 16; // rows per warp; also the inner size of an mma
constexpr int kWarps = kThreads / kWarp;

// kRows rows of kSize numbers. The lowest three bits of the index of a 16-byte piece are XORed with
// those of the row index. The eight rows that ldmatrix reads at a time are therefore in different
// banks, and copies and reads have no bank conflicts.
template<int kRows, int kSize>
struct Tile
{
    static constexpr int kPiece = 8, kPieces = kSize / kPiece;
    static_assert(kRows % kSide == 0 && (kPieces == 8 || kPieces == 16));

    __device__ bfloat16* at(int row, int column)
    {
        const int piece = column / kPiece ^ row % 8;
        return numbers + row * kSize + piece * kPiece + column % kPiece;
    }

    // Starts to load rows first, first + 1, ... of a matrix of `count` rows, aligned to 16 bytes.
    // Rows beyond its end become 0. All threads of the block must call it. The copies complete as
    // described at ptx::copyAsync().
    __device__ void fetch(const bfloat16* from, int stride, int first, int count)
    {
        for (int i = static_cast<int>(threadIdx.x); i < kRows * kPieces; i += kThreads) {
            const int row = i / kPieces, column = i % kPieces * kPiece;
            const bool exists = first + row < count;
            const std::ptrdiff_t line = exists ? first + row : 0;
            ptx::copyAsync(at(row, column), from + line * stride + column, exists);
        }
    }

    // Returns the address in shared memory of 8 consecutive numbers of `row`, starting at `column`
    // (0 or 8). A thread computes the address once per tile: right() moves it by 16 * steps
    // columns, and below() by `rows` rows (a multiple of 8). The XOR in at() and the alignment of
    // rows make this possible.
    __device__ ptx::Shared address(int row, int column)
    {
        return ptx::sharedAddress(at(row, column));
    }
    __device__ static ptx::Shared right(ptx::Shared address, int steps)
    {
        return address ^ static_cast<ptx::Shared>(steps) * (kSide * sizeof(bfloat16));
    }
    __device__ static ptx::Shared below(ptx::Shared address, int rows)
    {
        return address + static_cast<ptx::Shared>(rows) * (kSize * sizeof(bfloat16));
    }

    alignas(256) bfloat16 numbers[kRows * kSize];
};

__device__ inline int laneOfWarp()
{
    return static_cast<int>(threadIdx.x) % kWarp;
}
__device__ inline int warpOfBlock()
{
    return static_cast<int>(threadIdx.x) / kWarp;
}
// The elements of an mma's result that this thread holds. Its two rows are rowOfLane() and
// rowOfLane() + 8. Of every 8 columns it holds columnOfLane() and columnOfLane() + 1.
__device__ inline int rowOfLane()
{
    return laneOfWarp() / 4;
}
__device__ inline int columnOfLane()
{
    return laneOfWarp() % 4 * 2;
}

// Matrices in the registers of a warp: Rows has 16 rows of kSize bfloat16 numbers, in the layout of
// mma's left operand; Sums has 16 rows of kSize float sums.
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

// Reads rows first .. first + 15 of a matrix of `count` rows in device memory. Rows beyond its end
// become 0.
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

// sums += left part^T, where `part` is kCount rows of the tile, starting at row `first`. left(a,
// step) loads the four registers of the left operand for one step of the inner loop.
template<int kCount, int kRows, int kSize, class Left>
__device__ inline void addRowProducts(Sums<kCount>& sums, Tile<kRows, kSize>& tile, int first,
                                      const Left& left)
{
    using OfTile = Tile<kRows, kSize>;
    const int matrix = laneOfWarp() / 8, row = laneOfWarp() % 8;
    const ptx::Shared at = tile.address(first + matrix / 2 * 8 + row, matrix % 2 * 8);
#pragma unroll
    for (int step = 0; step < kSize / kSide; ++step) {
        std::uint32_t a[4];
        left(a, step);
#pragma unroll
        for (int n = 0; n < kCount; n += kSide) {
            std::uint32_t b[4];
            ptx::loadMatrices(b, OfTile::below(OfTile::right(at, step), n));
            ptx::multiplyAdd(sums.at[n / 8], a, b[0], b[1]);
            ptx::multiplyAdd(sums.at[n / 8 + 1], a, b[2], b[3]);
        }
    }
}
template<int kCount, int kRows, int kSize>
__device__ inline void addRowProducts(Sums<kCount>& sums, const Rows<kSize>& rows,
                                      Tile<kRows, kSize>& tile, int first)
{
    addRowProducts(sums, tile, first, [&](std::uint32_t(&a)[4], int step) {
        for (int part = 0; part < 4; ++part)
            a[part] = rows.at[step][part];
    });
}
// The left operand is rows ofOther .. ofOther + 15 of another tile.
template<int kCount, int kOthers, int kRows, int kSize>
__device__ inline void addRowProducts(Sums<kCount>& sums, Tile<kOthers, kSize>& other, int ofOther,
                                      Tile<kRows, kSize>& tile, int first)
{
    const ptx::Shared at = other.address(ofOther + laneOfWarp() % 16, laneOfWarp() / 16 * 8);
    addRowProducts(sums, tile, first, [&](std::uint32_t(&a)[4], int step) {
        ptx::loadMatrices(a, Tile<kOthers, kSize>::right(at, step));
    });
}

// sums += weights part, where `part` is kCount rows of the tile, starting at row `first`. The
// weights are rounded to bfloat16. The threads need not exchange weights, because Sums have the
// register layout of left operands.
template<int kCount, int kRows, int kSize>
__device__ inline void addProducts(Sums<kSize>& sums, const Sums<kCount>& weights,
                                   Tile<kRows, kSize>& tile, int first)
{
    using OfTile = Tile<kRows, kSize>;
    const int matrix = laneOfWarp() / 8, row = laneOfWarp() % 8;
    const ptx::Shared at = tile.address(first + matrix % 2 * 8 + row, matrix / 2 * 8);
#pragma unroll
    for (int k = 0; k < kCount; k += kSide) {
        const float(&left)[4] = weights.at[k / 8];
        const float(&right)[4] = weights.at[k / 8 + 1];
        const std::uint32_t a[4] = {ptx::pack(left[0], left[1]), ptx::pack(left[2], left[3]),
                                    ptx::pack(right[0], right[1]), ptx::pack(right[2], right[3])};
#pragma unroll
        for (int n = 0; n < kSize; n += kSide) {
            std::uint32_t b[4];
            ptx::loadTransposed(b, OfTile::below(OfTile::right(at, n / kSide), k));
            ptx::multiplyAdd(sums.at[n / 8], a, b[0], b[1]);
            ptx::multiplyAdd(sums.at[n / 8 + 1], a, b[2], b[3]);
        }
    }
}

// Combines the values of the four threads that share a row. All four threads get the same bits.
template<class Combine>
__device__ inline float overRow(float value, Combine combine)
{
    value = combine(value, __shfl_xor_sync(0xffffffffU, value, 1));
    return combine(value, __shfl_xor_sync(0xffffffffU, value, 2));
}

// Writes one of this thread's two rows (`row` is 0 or 1), multiplied by `factor` and rounded, to
// the kSize numbers at `to`.
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
