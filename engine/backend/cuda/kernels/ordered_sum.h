#pragma once

#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/op_stream.h"

// One sum over very many items. First each block adds the items of a chunk, then the sums of the
// chunks are added. The order depends only on the number of items.
namespace engine::cuda {

constexpr std::size_t kMostChunks = 1024;

// Adds the numbers of all threads of a block, in pairs. Thread 0 gets the sum.
template<class Number>
__device__ inline Number sumOfBlock(Number own)
{
    __shared__ Number sums[kThreads];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    return sums[0];
}

// Block x adds chunk x, one item per thread at a time; adjacent threads have adjacent items.
template<class Number, class AddItem>
__global__ void __launch_bounds__(kThreads)
    sumItems(AddItem addItem, std::size_t items, std::size_t ofChunk, Number* sums)
{
    const std::size_t begin = blockIdx.x * ofChunk;
    const std::size_t end = begin + ofChunk < items ? begin + ofChunk : items;
    Number sum = 0;
    for (std::size_t i = begin + threadIdx.x; i < end; i += kThreads)
        addItem(i, sum);
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

template<class Number>
__global__ void __launch_bounds__(kThreads)
    addChunkSums(const Number* sums, int chunks, Number* total)
{
    Number sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < chunks; i += kThreads)
        sum += sums[i];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0)
        *total += sum;
}

// Adds the sum of `items` items to `*total` in device memory; addItem(i, sum) adds item i to `sum`.
// Uses the first kMostChunks numbers of the scratch memory.
template<class Number, class AddItem>
void addOrderedSum(const OpStream& opStream, std::size_t items, const AddItem& addItem,
                   Number* total)
{
    if (items == 0)
        return;
    const std::size_t turns = (items + kThreads - 1) / kThreads;
    const std::size_t ofChunk = (turns + kMostChunks - 1) / kMostChunks * kThreads;
    const unsigned chunks = blocksFor(items, ofChunk);
    auto* sums = reinterpret_cast<Number*>(opStream.scratch);
    launch(opStream.stream, chunks, sumItems<Number, AddItem>, addItem, items, ofChunk, sums);
    launch(opStream.stream, 1U, addChunkSums<Number>, sums, static_cast<int>(chunks), total);
}

} // namespace engine::cuda
