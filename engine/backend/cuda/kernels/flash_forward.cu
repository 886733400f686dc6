#include "engine/backend/cuda/kernels/flash_tile.h"

// The forward of flash attention. A block computes kRows rows of one head's output. Q stays in
// shared memory, K and V alternate in one tile, and the output and the row sums stay in registers.
// With fp32 on CUDA cores each multiplication needs half a read of shared memory, which limits the
// rate to half of the peak.
namespace engine::cuda {
namespace {

using namespace flash;

template<class Real>
struct ForwardArguments
{
    FlashForward<Real> op;
    Head head;
    int width, keyWidth;
};

template<int kSize, class Real>
__global__ void __launch_bounds__(kThreads) flashForwardRows(ForwardArguments<Real> a)
{
    constexpr int kI = kRows<kSize> / kSide, kJ = kColumns / kSide, kO = kSize / kSide;
    __shared__ Tile<kRows<kSize>, kSize> queries;
    __shared__ Tile<kColumns, kSize> keys; // first the keys, then the values
    __shared__ Tile<kRows<kSize>, kColumns> scores;
    const Head& head = a.head;
    const FlashHeads<Real>& heads = a.op.heads;
    const int y = static_cast<int>(threadIdx.x) / kSide, x = static_cast<int>(threadIdx.x) % kSide;
    const int own = static_cast<int>(blockIdx.y);
    // Blocks start in the order of their index, so the first ones get the last rows, which attend
    // to the most keys in causal attention.
    const int firstRow = static_cast<int>(gridDim.x - 1 - blockIdx.x) * kRows<kSize>;
    const int keyColumn = a.width + own / head.group * head.size;
    read(queries, heads.qkv[head.slice] + own * head.size, heads.qkvStride[head.slice], firstRow,
         head.sequence, head.size);

    float out[kI][kO] = {}, largest[kI], sums[kI];
    for (int i = 0; i < kI; ++i) {
        largest[i] = -INFINITY;
        sums[i] = 0;
    }
    for (int slice = 0; slice <= head.slice; ++slice) {
        const Real* qkv = heads.qkv[slice];
        const int stride = heads.qkvStride[slice], seen = head.seen(slice, firstRow + kRows<kSize>);
        for (int firstKey = 0; firstKey < seen; firstKey += kColumns) {
            __syncthreads(); // all threads have read the values of the previous tile
            read(keys, qkv + keyColumn, stride, firstKey, head.sequence, head.size);
            __syncthreads();
            float s[kI][kJ] = {};
            addProducts<Inner::Column, Inner::Column>(s, queries, keys);
            for (int i = 0; i < kI; ++i) {
                const int row = firstRow + y + kSide * i;
                float most = largest[i];
                for (int j = 0; j < kJ; ++j) {
                    const bool sees = head.sees(row, slice, firstKey + x + kSide * j);
                    s[i][j] = sees ? s[i][j] * head.scale : -INFINITY;
                    most = fmaxf(most, s[i][j]);
                }
                most = overRow(most, [](float p, float q) { return fmaxf(p, q); });
                // Before the first visible column the maximum is -infinity; a base of 0 avoids
                // -infinity - -infinity.
                const float base = most == -INFINITY ? 0.0F : most;
                const float shrink = expf(largest[i] - base);
                float sum = 0;
                for (int j = 0; j < kJ; ++j) {
                    const float p = expf(s[i][j] - base);
                    scores.at[y + kSide * i][x + kSide * j] = p;
                    sum += p;
                }
                sum = overRow(sum, [](float p, float q) { return p + q; });
                sums[i] = sums[i] * shrink + sum;
                largest[i] = most;
                for (int o = 0; o < kO; ++o)
                    out[i][o] *= shrink;
            }
            __syncthreads(); // all threads have read the keys and written the scores
            read(keys, qkv + keyColumn + a.keyWidth, stride, firstKey, head.sequence, head.size);
            __syncthreads();
            addProducts<Inner::Column, Inner::Row>(out, scores, keys);
        }
    }
    for (int i = 0; i < kI; ++i) {
        const int row = firstRow + y + kSide * i;
        if (row >= head.sequence)
            continue;
        const float inverse = 1.0F / sums[i];
        for (int o = 0; o < kO; ++o)
            if (const int column = x + kSide * o; column < head.size)
                a.op.out.data[static_cast<std::ptrdiff_t>(row) * a.op.out.stride + own * head.size
                              + column]
                    = static_cast<Real>(out[i][o] * inverse);
        if (x == 0)
            a.op.logSums[static_cast<std::ptrdiff_t>(own) * head.sequence + row]
                = largest[i] + logf(sums[i]);
    }
}

} // namespace

template<class Real>
void flashForward(const OpStream& opStream, const FlashForward<Real>& op)
{
    const AttentionShape& shape = *op.heads.shape;
    const ForwardArguments<Real> arguments{op, Head(shape, op.heads.slice), shape.width(),
                                           shape.keyWidth()};
    bySize(shape.headSize, [&]<int kSize>() {
        const dim3 grid(blocksFor(static_cast<std::size_t>(shape.sequence), kRows<kSize>),
                        static_cast<unsigned>(shape.heads));
        launch(opStream.stream, grid, flashForwardRows<kSize, Real>, arguments);
    });
}

template void flashForward(const OpStream&, const FlashForward<float>&);
template void flashForward(const OpStream&, const FlashForward<bfloat16>&);

} // namespace engine::cuda
