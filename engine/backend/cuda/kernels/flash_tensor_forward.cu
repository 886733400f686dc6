#include "engine/backend/cuda/kernels/flash_tensor_head.h"

// The forward on tensor cores. A block computes 128 rows of one head's output, 16 per warp.
// Queries, output and row sums stay in registers; keys and values pass through shared memory.
namespace engine::cuda {
namespace {

using namespace tensor;

constexpr int kKeys = 64; // per tile
// The number of scores per row that a warp computes at a time, limited by registers. For head size
// 64 it is smaller, so that two blocks (sixteen warps) fit on an SM.
template<int kSize>
constexpr int kAtOnce = kSize == 64 ? 32 : 64;

// For the two rows of this thread: the maximum so far, and the sum of exponentials over the columns
// of this thread.
struct RowState
{
    float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {};
};

// Sets scores to -infinity where a row does not attend to a column.
template<int kCount>
__device__ inline void maskTile(Sums<kCount>& scores, const Head& head, int slice, int firstRow,
                                int firstKey)
{
    if (seesAll<kCount>(head, slice, firstRow, firstKey))
        return; // the whole warp
#pragma unroll
    for (int n = 0; n < kCount / 8; ++n)
        for (int c = 0; c < 4; ++c)
            if (!sees(head, slice, firstRow + rowOfLane() + c / 2 * 8,
                      firstKey + n * 8 + columnOfLane() + c % 2))
                scores.at[n][c] = -INFINITY;
}

// Converts scores to weights, 2^(scale (score - largest)), and rescales output and sums to the new
// maxima.
template<int kCount, int kSize>
__device__ inline void softmaxTile(Sums<kCount>& scores, float scale, RowState& state,
                                   Sums<kSize>& out)
{
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        float most = state.largest[r];
#pragma unroll
        for (int n = 0; n < kCount / 8; ++n)
            most = fmaxf(most, fmaxf(scores.at[n][2 * r], scores.at[n][2 * r + 1]));
        most = overRow(most, [](float a, float b) { return fmaxf(a, b); });
        // Before the first visible column the maximum is -infinity. A base of 0 avoids a NaN.
        const float base = most == -INFINITY ? 0.0F : most * scale;
        const float shrink = ptx::exp2(state.largest[r] * scale - base);
        state.largest[r] = most;
        state.sum[r] *= shrink;
#pragma unroll
        for (int n = 0; n < kCount / 8; ++n)
            for (int c = 2 * r; c < 2 * r + 2; ++c) {
                scores.at[n][c] = ptx::exp2(scores.at[n][c] * scale - base);
                state.sum[r] += scores.at[n][c];
            }
        for (int n = 0; n < kSize / 8; ++n)
            for (int c = 2 * r; c < 2 * r + 2; ++c)
                out.at[n][c] *= shrink;
    }
}

template<int kSize>
__global__ void __launch_bounds__(kThreads, kSize == 64 ? 2 : 1)
    flashForwardRows(const __grid_constant__ TensorFlashForward op)
{
    const Head head(op.heads);
    const int own = static_cast<int>(blockIdx.x); // head, counted over all samples
    // Blocks start in the order of their index, so the first ones get the last rows, which attend
    // to the most keys in causal attention.
    const int ofBlock = static_cast<int>(gridDim.y - 1 - blockIdx.y) * kRowsOfBlock;
    const int firstRow = ofBlock + warpOfBlock() * kSide;
    const int stride = op.heads.stride[head.slice];
    const Rows<kSize> queries
        = readRows<kSize>(op.heads.qkv[head.slice] + head.firstRow(own) * stride + head.column(own),
                          stride, firstRow, head.sequence);
    const float scale = head.scale * kLog2e; // exp2() replaces exp()
    Sums<kSize> out;
    RowState state;
    KeyTiles<kKeys, kSize> tiles(op.heads, head, own, ofBlock + kRowsOfBlock);
    tiles.each([&](auto& stage, int slice, int firstKey) {
#pragma unroll 1
        for (int first = 0; first < kKeys; first += kAtOnce<kSize>) {
            if (firstRow >= head.sequence || firstKey + first >= head.seen(slice, firstRow + kSide))
                return; // none of this warp's rows attends to the tile
            Sums<kAtOnce<kSize>> scores;
            addRowProducts(scores, queries, stage.keys, first);
            maskTile(scores, head, slice, firstRow, firstKey + first);
            softmaxTile(scores, scale, state, out);
            addProducts(out, scores, stage.values, first);
        }
    });
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const float sum = overRow(state.sum[r], [](float a, float b) { return a + b; });
        const int row = firstRow + rowOfLane() + 8 * r;
        if (row >= head.sequence)
            continue;
        writeRow(op.out.data + (head.firstRow(own) + row) * op.out.stride + head.column(own), out,
                 r, 1.0F / sum);
        if (columnOfLane() == 0)
            op.logSums[static_cast<std::ptrdiff_t>(own) * head.sequence + row]
                = state.largest[r] * head.scale + logf(sum);
    }
}

} // namespace

void flashForward(const OpStream& opStream, const TensorFlashForward& op)
{
    const AttentionShape& shape = op.heads.shape;
    bySize(shape.headSize, [&]<int kSize>() {
        const dim3 grid(static_cast<unsigned>(shape.samples * shape.heads),
                        blocksFor(static_cast<std::size_t>(shape.sequence), kRowsOfBlock));
        launchWithMemory(opStream.stream, grid, KeyTiles<kKeys, kSize>::kMemory,
                         flashForwardRows<kSize>, op);
    });
}

} // namespace engine::cuda
