#pragma once

#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/op_stream.h"

// Column sums of a matrix without atomics. First the rows of each chunk are added, then the sums of
// the chunks are added in order. The order of the additions depends only on the shape.
namespace engine::cuda {

struct ColumnSumPlan
{
    static constexpr int kColumns = kWarp;             // per block, one per lane
    static constexpr int kRowLanes = kThreads / kWarp; // rows that a block adds at a time
    static constexpr int kMostChunks = 64, kLeastRows = 64;

    int chunks = 0, rowsOfChunk = 0;

    ColumnSumPlan(int rows, int columns, int outputs)
    {
        const auto room = static_cast<int>(OpStream::kScratch
                                           / (sizeof(float) * static_cast<std::size_t>(columns)
                                              * static_cast<std::size_t>(outputs)));
        CHECK(room > 0);
        const int most = room < kMostChunks ? room : kMostChunks;
        rowsOfChunk = (rows + most - 1) / most;
        rowsOfChunk = rowsOfChunk > kLeastRows ? rowsOfChunk : kLeastRows;
        chunks = (rows + rowsOfChunk - 1) / rowsOfChunk;
    }
};

// Writes partials[output][chunk][column]. The 256 threads of a block read 8 rows of 32 columns at a
// time, so a warp reads 128 bytes of a row. A block needs 1 KiB of shared memory per output.
// value(row, column, sums) adds one element to each of the kOutputs sums.
template<int kOutputs, class Value>
__global__ void __launch_bounds__(kThreads)
    sumChunks(Value value, int rows, int columns, int rowsOfChunk, float* partials)
{
    using Plan = ColumnSumPlan;
    __shared__ float lanes[kOutputs][Plan::kRowLanes][Plan::kColumns];
    const int lane = static_cast<int>(threadIdx.x) / Plan::kColumns;
    const int x = static_cast<int>(threadIdx.x) % Plan::kColumns;
    const int column = static_cast<int>(blockIdx.x) * Plan::kColumns + x;
    const int chunk = static_cast<int>(blockIdx.y);
    const int begin = chunk * rowsOfChunk;
    const int end = begin + rowsOfChunk < rows ? begin + rowsOfChunk : rows;

    float sums[kOutputs] = {};
    if (column < columns)
#pragma unroll 4
        for (int row = begin + lane; row < end; row += Plan::kRowLanes)
            value(row, column, sums);
    for (int output = 0; output < kOutputs; ++output)
        lanes[output][lane][x] = sums[output];
    __syncthreads();
    if (lane != 0 || column >= columns)
        return;
    for (int output = 0; output < kOutputs; ++output) {
        float total = lanes[output][0][x];
        for (int other = 1; other < Plan::kRowLanes; ++other)
            total += lanes[output][other][x];
        const std::size_t line
            = static_cast<std::size_t>(output) * gridDim.y + static_cast<std::size_t>(chunk);
        partials[line * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)]
            = total;
    }
}

// The targets of the sums; nullptr discards a sum.
struct ColumnSumTargets
{
    static constexpr int kMost = 2;
    float* at[kMost] = {};
};
// For each target, adds the chunk sums in `partials`, a (targets, chunks, columns) array. Block (x,
// y) adds 32 columns to target y; its 8 rows of threads divide the chunks among themselves.
__global__ void __launch_bounds__(kThreads)
    addChunks(const float* partials, int chunks, int columns, ColumnSumTargets targets);

// value(row, column, sums) computes kOutputs numbers for each element. Adds the column sums of each
// number to its array in `outputs`; nullptr discards them.
template<int kOutputs, class Value>
void addColumnSums(const OpStream& opStream, int rows, int columns, const Value& value,
                   float* const (&outputs)[kOutputs])
{
    if (rows == 0 || columns == 0)
        return;
    const ColumnSumPlan plan(rows, columns, kOutputs);
    const dim3 grid(blocksFor(static_cast<std::size_t>(columns), ColumnSumPlan::kColumns),
                    static_cast<unsigned>(plan.chunks));
    launch(opStream.stream, grid, sumChunks<kOutputs, Value>, value, rows, columns,
           plan.rowsOfChunk, opStream.scratch);
    static_assert(kOutputs <= ColumnSumTargets::kMost);
    ColumnSumTargets targets;
    for (int output = 0; output < kOutputs; ++output)
        targets.at[output] = outputs[output];
    launch(opStream.stream, dim3(grid.x, kOutputs), addChunks,
           static_cast<const float*>(opStream.scratch), plan.chunks, columns, targets);
}

} // namespace engine::cuda
