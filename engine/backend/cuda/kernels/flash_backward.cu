#include "engine/backend/cuda/kernels/flash_tile.h"

// The backward of flash attention in three kernels, so that every number is computed by one block:
//   rowProducts(): the dot product of dOut and out in each row.
//   queryGradients(): the query gradients, one block per tile of rows.
//   keyGradients(): the key and value gradients, one block per tile of columns.
// The last two recompute the scores and use the logSums of the forward.
namespace engine::cuda {
namespace {

using namespace flash;

template<class Real>
struct BackwardArguments
{
    FlashBackward<Real> op;
    Head head;
    int width, keyWidth;
};

// The softmax backward needs the sum over columns of dP P for each row. This sum equals the dot
// product of dOut and out in the row, which does not need the scores. One warp computes one row of
// a head.
template<class Real>
__global__ void __launch_bounds__(kThreads) rowProducts(BackwardArguments<Real> a)
{
    const Head& head = a.head;
    const int row
        = static_cast<int>(blockIdx.x) * (kThreads / kWarp) + static_cast<int>(threadIdx.x) / kWarp;
    const int own = static_cast<int>(blockIdx.y), lane = static_cast<int>(threadIdx.x) % kWarp;
    if (row >= head.sequence)
        return; // the whole warp
    const Real* out
        = a.op.out.data + static_cast<std::ptrdiff_t>(row) * a.op.out.stride + own * head.size;
    const Real* dOut
        = a.op.dOut.data + static_cast<std::ptrdiff_t>(row) * a.op.dOut.stride + own * head.size;
    float sum = 0;
    for (int c = lane; c < head.size; c += kWarp)
        sum += static_cast<float>(out[c]) * static_cast<float>(dOut[c]);
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffU, sum, distance);
    if (lane == 0)
        a.op.products[static_cast<std::ptrdiff_t>(own) * head.sequence + row] = sum;
}

// In a tile of kI x 16 rows and 32 columns, replaces the scores in `s` by P, and dP in `d` by dS.
template<int kI, int kJ, class Real>
__device__ inline void scoreGradients(const BackwardArguments<Real>& a, int own, int slice,
                                      int firstRow, int firstKey, float (&s)[kI][kJ],
                                      float (&d)[kI][kJ])
{
    const Head& head = a.head;
    const int y = static_cast<int>(threadIdx.x) / kSide, x = static_cast<int>(threadIdx.x) % kSide;
    for (int i = 0; i < kI; ++i) {
        const int row = firstRow + y + kSide * i;
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(own) * head.sequence + row;
        const float logSum = row < head.sequence ? a.op.logSums[at] : 0.0F;
        const float product = row < head.sequence ? a.op.products[at] : 0.0F;
        for (int j = 0; j < kJ; ++j) {
            const bool sees = head.sees(row, slice, firstKey + x + kSide * j);
            const float p = sees ? expf(s[i][j] * head.scale - logSum) : 0.0F;
            s[i][j] = p;
            d[i][j] = p * (d[i][j] - product) * head.scale;
        }
    }
}

template<int kI, int kJ, int kM, int kN>
__device__ inline void put(Tile<kM, kN>& tile, const float (&values)[kI][kJ])
{
    const int y = static_cast<int>(threadIdx.x) / kSide, x = static_cast<int>(threadIdx.x) % kSide;
    for (int i = 0; i < kI; ++i)
        for (int j = 0; j < kJ; ++j)
            tile.at[y + kSide * i][x + kSide * j] = values[i][j];
}

// The number of rows of a tile in queryGradients() and keyGradients(). queryGradients() has
// queries, dOut, keys and a tile of score gradients in shared memory at the same time: 34 KiB for
// head size 128.
template<int kSize>
constexpr int kBackwardRows = kSize <= 64 ? 32 : 16;

template<int kSize, class Real>
__global__ void __launch_bounds__(kThreads) queryGradients(BackwardArguments<Real> a)
{
    constexpr int kTile = kBackwardRows<kSize>;
    constexpr int kI = kTile / kSide, kJ = kColumns / kSide, kO = kSize / kSide;
    __shared__ Tile<kTile, kSize> queries, dOut;
    __shared__ Tile<kColumns, kSize> keys; // first the values, then the keys
    __shared__ Tile<kTile, kColumns> dScores;
    const Head& head = a.head;
    const FlashHeads<Real>& heads = a.op.heads;
    const int y = static_cast<int>(threadIdx.x) / kSide, x = static_cast<int>(threadIdx.x) % kSide;
    const int own = static_cast<int>(blockIdx.y);
    const int firstRow = static_cast<int>(gridDim.x - 1 - blockIdx.x) * kTile;
    const int keyColumn = a.width + own / head.group * head.size;
    read(queries, heads.qkv[head.slice] + own * head.size, heads.qkvStride[head.slice], firstRow,
         head.sequence, head.size);
    read(dOut, a.op.dOut.data + own * head.size, a.op.dOut.stride, firstRow, head.sequence,
         head.size);
    float sums[kI][kO] = {};
    for (int slice = 0; slice <= head.slice; ++slice) {
        const Real* qkv = heads.qkv[slice];
        const int stride = heads.qkvStride[slice], seen = head.seen(slice, firstRow + kTile);
        for (int firstKey = 0; firstKey < seen; firstKey += kColumns) {
            __syncthreads(); // all threads have read the previous tile
            read(keys, qkv + keyColumn + a.keyWidth, stride, firstKey, head.sequence, head.size);
            __syncthreads();
            float s[kI][kJ] = {}, d[kI][kJ] = {};
            addProducts<Inner::Column, Inner::Column>(d, dOut, keys); // dP, from the values
            __syncthreads();
            read(keys, qkv + keyColumn, stride, firstKey, head.sequence, head.size);
            __syncthreads();
            addProducts<Inner::Column, Inner::Column>(s, queries, keys);
            scoreGradients(a, own, slice, firstRow, firstKey, s, d);
            put(dScores, d);
            __syncthreads();
            addProducts<Inner::Column, Inner::Row>(sums, dScores, keys);
        }
    }
    for (int i = 0; i < kI; ++i)
        for (int o = 0; o < kO; ++o) {
            const int row = firstRow + y + kSide * i, column = x + kSide * o;
            if (row < head.sequence && column < head.size)
                a.op.dQuery.data[static_cast<std::ptrdiff_t>(row) * a.op.dQuery.stride
                                 + own * head.size + column]
                    = sums[i][o];
        }
}

// Adds the gradients of the keys and values of slice blockIdx.z to the matrices of that slice.
template<int kSize, class Real>
__global__ void __launch_bounds__(kThreads) keyGradients(BackwardArguments<Real> a)
{
    constexpr int kTile = kBackwardRows<kSize>;
    constexpr int kI = kTile / kSide, kJ = kColumns / kSide, kO = kSize / kSide;
    constexpr int kK = kColumns / kSide;   // rows of the result
    __shared__ Tile<kTile, kSize> rows;    // first queries, then dOut, then queries again
    __shared__ Tile<kColumns, kSize> keys; // first the keys, then the values
    __shared__ Tile<kTile, kColumns> scores, dScores;
    const Head& head = a.head;
    const FlashHeads<Real>& heads = a.op.heads;
    const int y = static_cast<int>(threadIdx.x) / kSide, x = static_cast<int>(threadIdx.x) % kSide;
    const int firstKey = static_cast<int>(blockIdx.x) * kColumns;
    const int keyHead = static_cast<int>(blockIdx.y), slice = static_cast<int>(blockIdx.z);
    const int keyColumn = a.width + keyHead * head.size;
    const Real *qkv = heads.qkv[slice], *queries = heads.qkv[head.slice];
    const int stride = heads.qkvStride[slice], queryStride = heads.qkvStride[head.slice];
    // In causal attention, rows before firstKey of the same slice attend to none of the keys of
    // this block, so they are skipped.
    const bool diagonal = head.causal && slice == head.slice;
    const int begin = diagonal ? firstKey / kTile * kTile : 0;
    float dKey[kK][kO] = {}, dValue[kK][kO] = {};
    for (int own = keyHead * head.group; own < (keyHead + 1) * head.group; ++own)
        for (int firstRow = begin; firstRow < head.sequence; firstRow += kTile) {
            __syncthreads(); // all threads have read the previous tile
            read(rows, queries + own * head.size, queryStride, firstRow, head.sequence, head.size);
            read(keys, qkv + keyColumn, stride, firstKey, head.sequence, head.size);
            __syncthreads();
            float s[kI][kJ] = {}, d[kI][kJ] = {};
            addProducts<Inner::Column, Inner::Column>(s, rows, keys);
            __syncthreads();
            read(rows, a.op.dOut.data + own * head.size, a.op.dOut.stride, firstRow, head.sequence,
                 head.size);
            read(keys, qkv + keyColumn + a.keyWidth, stride, firstKey, head.sequence, head.size);
            __syncthreads();
            addProducts<Inner::Column, Inner::Column>(d, rows, keys);
            scoreGradients(a, own, slice, firstRow, firstKey, s, d);
            put(scores, s);
            put(dScores, d);
            __syncthreads();
            addProducts<Inner::Row, Inner::Row>(dValue, scores, rows);
            __syncthreads();
            read(rows, queries + own * head.size, queryStride, firstRow, head.sequence, head.size);
            __syncthreads();
            addProducts<Inner::Row, Inner::Row>(dKey, dScores, rows);
        }
    const Matrix<float>&toKey = a.op.dKey[slice], &toValue = a.op.dValue[slice];
    for (int k = 0; k < kK; ++k)
        for (int o = 0; o < kO; ++o) {
            const int row = firstKey + y + kSide * k, column = x + kSide * o;
            if (row >= head.sequence || column >= head.size)
                continue;
            const std::ptrdiff_t ofHead = keyHead * head.size + column;
            toKey.data[static_cast<std::ptrdiff_t>(row) * toKey.stride + ofHead] += dKey[k][o];
            toValue.data[static_cast<std::ptrdiff_t>(row) * toValue.stride + ofHead]
                += dValue[k][o];
        }
}

} // namespace

template<class Real>
void flashBackward(const OpStream& opStream, const FlashBackward<Real>& op)
{
    const AttentionShape& shape = *op.heads.shape;
    const BackwardArguments<Real> arguments{op, Head(shape, op.heads.slice), shape.width(),
                                            shape.keyWidth()};
    const auto rows = static_cast<std::size_t>(shape.sequence);
    const auto heads = static_cast<unsigned>(shape.heads);
    launch(opStream.stream, dim3(blocksFor(rows, kThreads / kWarp), heads), rowProducts<Real>,
           arguments);
    bySize(shape.headSize, [&]<int kSize>() {
        launch(opStream.stream, dim3(blocksFor(rows, kBackwardRows<kSize>), heads),
               queryGradients<kSize, Real>, arguments);
        launch(opStream.stream,
               dim3(blocksFor(rows, kColumns), static_cast<unsigned>(shape.keyHeads),
                    static_cast<unsigned>(op.heads.slice + 1)),
               keyGradients<kSize, Real>, arguments);
    });
}

template void flashBackward(const OpStream&, const FlashBackward<float>&);
template void flashBackward(const OpStream&, const FlashBackward<bfloat16>&);

} // namespace engine::cuda
