#include "engine/backend/cuda/flash_tensor_head.h"

// A block makes 128 rows of one head's output, 16 a warp: queries, output and the sums of rows stay
// in registers, keys and values pass through shared memory.
namespace engine::cuda {
namespace {

using namespace tensor;

constexpr int kKeys = 64;

// Of this lane's two rows: the largest score so far, and the sum of exponentials of its own
// columns.
struct RowState
{
    float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {};
};

// Scores, as exponents of 2, to weights; the output and the sums shrink to the new largest ones.
template<int kSize>
__device__ inline void softmaxTile(Sums<kKeys>& scores, RowState& state, Sums<kSize>& out)
{
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        float most = state.largest[r];
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n)
            most = fmaxf(most, fmaxf(scores.at[n][2 * r], scores.at[n][2 * r + 1]));
        most = overRow(most, [](float a, float b) { return fmaxf(a, b); });
        // Nothing seen so far: nothing to shrink, and no difference of infinities.
        const float base = most == -INFINITY ? 0.0F : most;
        const float shrink = ptx::exp2(state.largest[r] - base);
        state.largest[r] = most;
        state.sum[r] *= shrink;
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n)
            for (int c = 2 * r; c < 2 * r + 2; ++c) {
                scores.at[n][c] = ptx::exp2(scores.at[n][c] - base);
                state.sum[r] += scores.at[n][c];
            }
        for (int n = 0; n < kSize / 8; ++n)
            for (int c = 2 * r; c < 2 * r + 2; ++c)
                out.at[n][c] *= shrink;
    }
}

__device__ inline void scaleAndMask(Sums<kKeys>& scores, const Head& head, int slice, int firstRow,
                                    int firstKey)
{
    const bool all = seesAll<kKeys>(head, slice, firstRow, firstKey);
    const float scale = head.scale * kLog2e;
#pragma unroll
    for (int n = 0; n < kKeys / 8; ++n)
        for (int c = 0; c < 4; ++c) {
            const int row = firstRow + rowOfLane() + c / 2 * 8;
            const int column = firstKey + n * 8 + columnOfLane() + c % 2;
            scores.at[n][c]
                = all || sees(head, slice, row, column) ? scores.at[n][c] * scale : -INFINITY;
        }
}

template<int kSize>
__global__ void __launch_bounds__(kThreads, kSize == 64 ? 2 : 1)
    flashForwardRows(const __grid_constant__ TensorFlashForward op)
{
    const Head head(op.heads);
    const int own = static_cast<int>(blockIdx.y); // of all samples' heads
    // The longest rows of a causal head first, since blocks start in their order.
    const int ofBlock = static_cast<int>(gridDim.x - 1 - blockIdx.x) * kRowsOfBlock;
    const int firstRow = ofBlock + warpOfBlock() * kSide;
    const int stride = op.heads.stride[head.slice];
    const Rows<kSize> queries
        = readRows<kSize>(op.heads.qkv[head.slice] + head.firstRow(own) * stride + head.column(own),
                          stride, firstRow, head.sequence);
    Sums<kSize> out;
    RowState state;
    KeyTiles<kKeys, kSize> tiles(op.heads, head, own, ofBlock + kRowsOfBlock);
    tiles.each([&](auto& stage, int slice, int firstKey) {
        if (firstRow >= head.sequence || firstKey >= head.seen(slice, firstRow + kSide))
            return; // of this warp's rows none sees it
        Sums<kKeys> scores;
        addRowProducts(scores, queries, stage.keys);
        scaleAndMask(scores, head, slice, firstRow, firstKey);
        softmaxTile(scores, state, out);
        addProducts(out, scores, stage.values);
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
                = state.largest[r] * kLn2 + logf(sum);
    }
}

} // namespace

void flashForward(const Lane& lane, const TensorFlashForward& op)
{
    const AttentionShape& shape = op.heads.shape;
    bySize(shape.headSize, [&]<int kSize>() {
        const dim3 grid(blocksFor(static_cast<std::size_t>(shape.sequence), kRowsOfBlock),
                        static_cast<unsigned>(shape.samples * shape.heads));
        launchWithMemory(lane.stream, grid, KeyTiles<kKeys, kSize>::kMemory,
                         flashForwardRows<kSize>, op);
    });
}

} // namespace engine::cuda
