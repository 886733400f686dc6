#include "engine/backend/cuda/kernels/flash_tensor_head.h"

// The backward on tensor cores in two kernels, so that every number is computed by one block:
//   queryGradients(): the query gradients, and the dot product of dOut and out in each row; one
//   block per tile of rows.
//   keyGradients(): the key and value gradients; one block per tile of columns. A warp processes 16
//   keys and computes the scores transposed, in the register layout of the left operands of
//   dV = P^T dOut and dK = dS^T Q. P and dS therefore need not pass through shared memory.
// Scores are multiplied by log2(e), so that weights are powers of 2.
namespace engine::cuda {
namespace {

using namespace tensor;

// Larger heads have smaller tiles, to limit registers per thread.
template<int kSize>
constexpr int kKeys = kSize == 64 ? 64 : 32; // keys per tile in queryGradients()
template<int kSize>
constexpr int kQueries = kSize == 64 ? 64 : 32; // queries per tile in keyGradients()

// For the two rows of this thread, computes the dot product of dOut and out. It equals the sum over
// columns of dP P, which the softmax backward needs.
template<int kSize>
__device__ inline void rowProducts(float (&products)[2], const Rows<kSize>& out,
                                   const Rows<kSize>& dOut)
{
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        float sum = 0;
        for (int step = 0; step < kSize / kSide; ++step)
            for (int part = r; part < 4; part += 2) {
                const std::uint32_t a = out.at[step][part], b = dOut.at[step][part];
                sum += __uint_as_float(a << 16U) * __uint_as_float(b << 16U);
                sum += __uint_as_float(a & 0xffff0000U) * __uint_as_float(b & 0xffff0000U);
            }
        products[r] = overRow(sum, [](float x, float y) { return x + y; });
    }
}

template<int kSize>
__global__ void __launch_bounds__(kThreads)
    queryGradients(const __grid_constant__ TensorFlashBackward op)
{
    const Head head(op.heads);
    const int own = static_cast<int>(blockIdx.x); // head, counted over all samples
    const int ofBlock = static_cast<int>(gridDim.y - 1 - blockIdx.y) * kRowsOfBlock;
    const int firstRow = ofBlock + warpOfBlock() * kSide;
    const std::ptrdiff_t sample = head.firstRow(own);
    const auto rowsOf = [&](const bfloat16* matrix, int stride) {
        return readRows<kSize>(matrix + sample * stride + head.column(own), stride, firstRow,
                               head.sequence);
    };
    const Rows<kSize> queries = rowsOf(op.heads.qkv[head.slice], op.heads.stride[head.slice]);
    const Rows<kSize> dOut = rowsOf(op.dOut.data, op.dOut.stride);
    float products[2], logSums[2];
    rowProducts(products, rowsOf(op.out.data, op.out.stride), dOut);
    const std::ptrdiff_t sums = static_cast<std::ptrdiff_t>(own) * head.sequence;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int row = firstRow + rowOfLane() + 8 * r;
        const bool exists = row < head.sequence;
        logSums[r] = exists ? op.logSums[sums + row] * kLog2e : INFINITY; // gives weights of 0
        if (exists && columnOfLane() == 0)
            op.products[sums + row] = products[r];
    }

    Sums<kSize> dQuery;
    KeyTiles<kKeys<kSize>, kSize> tiles(op.heads, head, own, ofBlock + kRowsOfBlock);
    tiles.each([&](auto& stage, int slice, int firstKey) {
        if (firstRow >= head.sequence || firstKey >= head.seen(slice, firstRow + kSide))
            return; // none of this warp's rows attends to the tile
        constexpr int kCount = kKeys<kSize>;
        Sums<kCount> scores, dScores;
        addRowProducts(scores, queries, stage.keys, 0);
        addRowProducts(dScores, dOut, stage.values, 0); // dP
        const bool all = seesAll<kCount>(head, slice, firstRow, firstKey);
        const float scale = head.scale * kLog2e;
#pragma unroll
        for (int n = 0; n < kCount / 8; ++n)
            for (int c = 0; c < 4; ++c) {
                const int row = firstRow + rowOfLane() + c / 2 * 8;
                const int column = firstKey + n * 8 + columnOfLane() + c % 2;
                const bool seen = all || sees(head, slice, row, column);
                const float p = seen ? ptx::exp2(scores.at[n][c] * scale - logSums[c / 2]) : 0.0F;
                dScores.at[n][c] = p * (dScores.at[n][c] - products[c / 2]);
            }
        addProducts(dQuery, dScores, stage.keys, 0);
    });
#pragma unroll
    for (int r = 0; r < 2; ++r)
        if (const int row = firstRow + rowOfLane() + 8 * r; row < head.sequence)
            writeRow(op.dQuery.data + (sample + row) * op.dQuery.stride + head.column(own), dQuery,
                     r, head.scale);
}

// The shared memory of a block of keyGradients(): its keys and values, and two alternating buffers
// (stages). A stage holds a tile of queries with their dOut, logSums and products.
template<int kSize>
struct KeyMemory
{
    struct Stage
    {
        Tile<kQueries<kSize>, kSize> queries, dOut;
        float logSums[kQueries<kSize>], products[kQueries<kSize>];
    };
    Tile<kRowsOfBlock, kSize> keys, values;
    Stage stages[2];
};

// Loads the queries that attend to a tile of keys, for all query heads of the key head. Shared
// memory has two buffers (stages), each for a tile of queries: one is loaded while the other is
// used.
template<int kSize>
class QueryTiles
{
public:
    static constexpr int kCount = kQueries<kSize>;
    using Stage = typename KeyMemory<kSize>::Stage;

    // `keyHead` is counted over all samples.
    __device__ QueryTiles(const TensorFlashBackward& op, const Head& head, int keyHead,
                          int firstQuery, Stage* stages)
        : m_op(op)
        , m_head(head)
        , m_firstHead(keyHead * head.group())
        , m_first(firstQuery / kCount * kCount)
        , m_ofHead((head.sequence - m_first + kCount - 1) / kCount)
        , m_stages(stages)
    { }

    // Calls compute(stage, first query) on all threads of the block.
    template<class Compute>
    __device__ void each(const Compute& compute)
    {
        const int count = m_ofHead * m_head.group();
        fetch(0);
        putNumbers(0);
        for (int i = 0; i < count; ++i) {
            ptx::waitForCopies();
            __syncthreads(); // this tile has arrived, and the previous one was read
            if (i + 1 < count)
                fetch(i + 1);
            compute(m_stages[i % 2], firstOf(i));
            if (i + 1 < count)
                putNumbers(i + 1); // fetch() loaded them while this tile was computed
        }
    }

private:
    __device__ int firstOf(int i) const { return m_first + i % m_ofHead * kCount; }
    __device__ void fetch(int i)
    {
        const int own = m_firstHead + i / m_ofHead, first = firstOf(i);
        const TensorFlash& flash = m_op.heads;
        const std::ptrdiff_t sample = m_head.firstRow(own);
        const int stride = flash.stride[m_head.slice];
        Stage& stage = m_stages[i % 2];
        stage.queries.fetch(flash.qkv[m_head.slice] + sample * stride + m_head.column(own), stride,
                            first, m_head.sequence);
        stage.dOut.fetch(m_op.dOut.data + sample * m_op.dOut.stride + m_head.column(own),
                         m_op.dOut.stride, first, m_head.sequence);
        const int row = first + static_cast<int>(threadIdx.x);
        const bool exists = static_cast<int>(threadIdx.x) < kCount && row < m_head.sequence;
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(own) * m_head.sequence + row;
        m_logSum = exists ? m_op.logSums[at] * kLog2e : INFINITY; // gives weights of 0
        m_product = exists ? m_op.products[at] : 0.0F;
    }
    __device__ void putNumbers(int i)
    {
        if (threadIdx.x >= kCount)
            return;
        m_stages[i % 2].logSums[threadIdx.x] = m_logSum;
        m_stages[i % 2].products[threadIdx.x] = m_product;
    }

    const TensorFlashBackward& m_op;
    const Head& m_head;
    int m_firstHead, m_first, m_ofHead;
    Stage* m_stages;
    float m_logSum = 0, m_product = 0; // numbers of one query of the next tile
};

// Stores the gradient of a key or value in this slice's matrix, or adds it to the gradients of an
// earlier slice.
template<int kSize>
__device__ inline void storeGradient(const TensorFlashBackward& op, const Head& head, int slice,
                                     std::ptrdiff_t row, int column, Sums<kSize>& sums, int r)
{
    const std::ptrdiff_t wide = row * 2 * head.keyHeads * head.size + column + columnOfLane();
    if (slice < head.slice) {
        float* to = op.earlier[slice] + wide;
#pragma unroll
        for (int n = 0; n < kSize; n += 8)
            for (int c = 0; c < 2; ++c)
                to[n + c] += sums.at[n / 8][2 * r + c];
        return;
    }
    if (op.later != nullptr)
#pragma unroll
        for (int n = 0; n < kSize; n += 8)
            for (int c = 0; c < 2; ++c)
                sums.at[n / 8][2 * r + c] += op.later[wide + n + c];
    writeRow(op.dKeyValue.data + row * op.dKeyValue.stride + column, sums, r, 1.0F);
}

// Computes the key and value gradients of slice blockIdx.z.
template<int kSize>
__global__ void __launch_bounds__(kThreads)
    keyGradients(const __grid_constant__ TensorFlashBackward op)
{
    const Head head(op.heads);
    const int ofBlock = static_cast<int>(blockIdx.y) * kRowsOfBlock;
    const int keyHead = static_cast<int>(blockIdx.x), slice = static_cast<int>(blockIdx.z);
    const int first = warpOfBlock() * kSide; // the warp's first key within the block
    const std::ptrdiff_t sample = head.firstRow(keyHead * head.group());
    const int ofHead = keyHead % head.keyHeads * head.size;
    auto& memory = *reinterpret_cast<KeyMemory<kSize>*>(ptx::sharedMemory());
    const int stride = op.heads.stride[slice];
    const bfloat16* rows = op.heads.qkv[slice] + sample * stride + ofHead;
    memory.keys.fetch(rows + head.keyColumn(), stride, ofBlock, head.sequence);
    memory.values.fetch(rows + head.valueColumn(), stride, ofBlock, head.sequence);

    const bool diagonal = head.causal && slice == head.slice;
    Sums<kSize> dKey, dValue;
    QueryTiles<kSize> tiles(op, head, keyHead, diagonal ? ofBlock : 0, memory.stages);
    tiles.each([&](auto& stage, int firstQuery) {
        constexpr int kCount = kQueries<kSize>;
        const int firstKey = ofBlock + first;
        if (diagonal && firstQuery + kCount <= firstKey)
            return; // no query of the tile attends to a key of this warp
        Sums<kCount> scores, dScores;
        addRowProducts(scores, memory.keys, first, stage.queries, 0);
        const float scale = head.scale * kLog2e;
#pragma unroll
        for (int n = 0; n < kCount / 8; ++n)
            for (int c = 0; c < 4; ++c) {
                const int query = n * 8 + columnOfLane() + c % 2;
                const int key = firstKey + rowOfLane() + c / 2 * 8;
                const bool seen = !diagonal || key <= firstQuery + query;
                scores.at[n][c]
                    = seen ? ptx::exp2(scores.at[n][c] * scale - stage.logSums[query]) : 0.0F;
            }
        addProducts(dValue, scores, stage.dOut, 0);
        addRowProducts(dScores, memory.values, first, stage.dOut, 0); // dP
#pragma unroll
        for (int n = 0; n < kCount / 8; ++n)
            for (int c = 0; c < 4; ++c) {
                const int query = n * 8 + columnOfLane() + c % 2;
                dScores.at[n][c] = scores.at[n][c] * (dScores.at[n][c] - stage.products[query]);
            }
        addProducts(dKey, dScores, stage.queries, 0);
    });
#pragma unroll
    for (int n = 0; n < kSize / 8; ++n)
        for (float& x : dKey.at[n])
            x *= head.scale;
#pragma unroll
    for (int r = 0; r < 2; ++r)
        if (const int row = ofBlock + first + rowOfLane() + 8 * r; row < head.sequence) {
            storeGradient(op, head, slice, sample + row, ofHead, dKey, r);
            storeGradient(op, head, slice, sample + row, ofHead + head.keyHeads * head.size, dValue,
                          r);
        }
}

} // namespace

std::size_t TensorFlash::sharedMemory(int headSize)
{
    static_assert(sizeof(KeyMemory<64>) >= KeyTiles<64, 64>::kMemory
                  && sizeof(KeyMemory<128>) >= KeyTiles<64, 128>::kMemory);
    return headSize == 64 ? sizeof(KeyMemory<64>) : sizeof(KeyMemory<128>);
}

void flashBackward(const OpStream& opStream, const TensorFlashBackward& op)
{
    const AttentionShape& shape = op.heads.shape;
    const unsigned tiles = blocksFor(static_cast<std::size_t>(shape.sequence), kRowsOfBlock);
    bySize(shape.headSize, [&]<int kSize>() {
        launchWithMemory(opStream.stream,
                         dim3(static_cast<unsigned>(shape.samples * shape.heads), tiles),
                         KeyTiles<kKeys<kSize>, kSize>::kMemory, queryGradients<kSize>, op);
        launchWithMemory(opStream.stream,
                         dim3(static_cast<unsigned>(shape.samples * shape.keyHeads), tiles,
                              static_cast<unsigned>(op.heads.slice + 1)),
                         sizeof(KeyMemory<kSize>), keyGradients<kSize>, op);
    });
}

} // namespace engine::cuda
