#pragma once

#include "engine/backend/cuda/kernels/flash_tensor.h"
#include "engine/backend/cuda/kernels/tensor_tile.h"

// Code shared by the tensor-core kernels of flash attention: the position of a block's head, and
// the loop over tiles of keys. Scores are multiplied by log2(e), so that weights are powers of 2.
namespace engine::cuda::tensor {

constexpr float kLog2e = 1.4426950408889634F;
constexpr int kRowsOfBlock = kWarps * kSide; // queries or keys of a block

struct Head
{
    int sequence, slice, heads, keyHeads, size;
    bool causal;
    float scale;

    __host__ __device__ explicit Head(const TensorFlash& flash)
        : sequence(flash.shape.sequence)
        , slice(flash.slice)
        , heads(flash.shape.heads)
        , keyHeads(flash.shape.keyHeads)
        , size(flash.shape.headSize)
        , causal(flash.shape.mask == AttentionMask::Causal)
        , scale(1.0F / sqrtf(static_cast<float>(flash.shape.headSize)))
    { }

    __host__ __device__ int group() const { return heads / keyHeads; } // query heads per key head
    __host__ __device__ int keyColumn() const { return heads * size; }
    __host__ __device__ int valueColumn() const { return (heads + keyHeads) * size; }

    // Heads are counted over all samples.
    __device__ std::ptrdiff_t firstRow(int own) const
    {
        return static_cast<std::ptrdiff_t>(own / heads) * sequence;
    }
    __device__ int column(int own) const { return own % heads * size; }
    __device__ int keyHead(int own) const { return own % heads / group(); }
    // The number of columns of slice `ofSlice` to which the first `rows` rows of this slice attend.
    __device__ int seen(int ofSlice, int rows) const
    {
        return causal && ofSlice == slice && rows < sequence ? rows : sequence;
    }
};

// Loads the keys and values that a block of queries attends to. Shared memory has two buffers
// (stages), each for a tile of keys and values: one is loaded while the other is used.
template<int kKeys, int kSize>
class KeyTiles
{
public:
    struct Stage
    {
        Tile<kKeys, kSize> keys, values;
    };
    static constexpr std::size_t kMemory = 2 * sizeof(Stage);

    __device__ KeyTiles(const TensorFlash& flash, const Head& head, int own, int rows)
        : m_flash(flash)
        , m_head(head)
        , m_firstRow(head.firstRow(own))
        , m_column(head.keyHead(own) * head.size)
        , m_seen(head.seen(head.slice, rows))
        , m_stages(reinterpret_cast<Stage*>(ptx::sharedMemory()))
    { }

    // Calls compute(stage, slice, firstKey) on all threads of the block, for each tile in order.
    template<class Compute>
    __device__ void each(const Compute& compute)
    {
        Place here;
        fetch(here, m_stages[0]);
        for (unsigned turn = 0; here.slice <= m_head.slice; turn ^= 1U) {
            ptx::waitForCopies();
            __syncthreads(); // this tile has arrived, and the previous one was read
            const Place next = behind(here);
            if (next.slice <= m_head.slice)
                fetch(next, m_stages[turn ^ 1U]);
            compute(m_stages[turn], here.slice, here.first);
            here = next;
        }
    }

private:
    struct Place // a tile: its slice, and its first key or query
    {
        int slice = 0, first = 0;
    };
    __device__ Place behind(const Place& place) const
    {
        const int end = place.slice == m_head.slice ? m_seen : m_head.sequence;
        return place.first + kKeys < end ? Place{place.slice, place.first + kKeys}
                                         : Place{place.slice + 1, 0};
    }
    __device__ void fetch(const Place& place, Stage& stage)
    {
        const int stride = m_flash.stride[place.slice];
        const bfloat16* rows = m_flash.qkv[place.slice] + m_firstRow * stride + m_column;
        stage.keys.fetch(rows + m_head.keyColumn(), stride, place.first, m_head.sequence);
        stage.values.fetch(rows + m_head.valueColumn(), stride, place.first, m_head.sequence);
    }

    const TensorFlash& m_flash;
    const Head& m_head;
    std::ptrdiff_t m_firstRow;
    int m_column, m_seen; // m_seen: keys of the current slice that the block attends to
    Stage* m_stages;
};

// Whether all rows from `row` to row + 15 attend to all columns from `first` to first + kKeys - 1
// of a slice.
template<int kKeys>
__device__ inline bool seesAll(const Head& head, int slice, int row, int first)
{
    return first + kKeys <= head.sequence
        && (!head.causal || slice < head.slice || first + kKeys - 1 <= row);
}
__device__ inline bool sees(const Head& head, int slice, int row, int column)
{
    return column < head.sequence && (!head.causal || slice < head.slice || column <= row);
}

// Calls launch<kSize>() with the size of the head.
template<class Launch>
void bySize(int size, const Launch& launch)
{
    CHECK(TensorFlash::takes(size));
    if (size == 64)
        launch.template operator()<64>();
    else
        launch.template operator()<128>();
}

} // namespace engine::cuda::tensor
