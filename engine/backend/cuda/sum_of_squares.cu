#include "engine/backend/cuda/elements.h"
#include "engine/backend/cuda/operations.h"

// Of a gradient's numbers, for its norm: in double, chunk by chunk and then the chunks in their
// order, so that the sum depends on their count alone.
namespace engine::cuda {
namespace {

constexpr std::size_t kMostChunks = 1024;

// Over the threads of a block in their order; thread 0 gets the sum.
__device__ inline double sumOfBlock(double own)
{
    __shared__ double sums[kThreads];
    sums[threadIdx.x] = own;
    __syncthreads();
    for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    return sums[0];
}

// A block does chunk blockIdx.x, kCount numbers a thread at a time.
template<int kCount>
__global__ void __launch_bounds__(kThreads)
    squareChunks(const float* x, std::size_t count, std::size_t ofChunk, double* sums)
{
    const std::size_t begin = blockIdx.x * ofChunk;
    const std::size_t end = begin + ofChunk < count ? begin + ofChunk : count;
    double sum = 0;
    for (std::size_t i = begin + std::size_t{threadIdx.x} * kCount; i < end;
         i += std::size_t{kThreads} * kCount) {
        const auto values = load<kCount>(x + i);
        for (int k = 0; k < kCount; ++k)
            sum += static_cast<double>(values.at[k]) * static_cast<double>(values.at[k]);
    }
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) addSums(const double* sums, int count, double* total)
{
    double sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads)
        sum += sums[i];
    sum = sumOfBlock(sum);
    if (threadIdx.x == 0)
        *total += sum;
}

} // namespace

void addSquares(const Lane& lane, std::span<const float> x, double* sum)
{
    constexpr std::size_t kPack = vectorOf<float>(), kTurn = kThreads * kPack;
    if (x.empty())
        return;
    const bool aligned = areAligned({x.data()}) && x.size() % kPack == 0;
    const std::size_t turns = (x.size() + kTurn - 1) / kTurn;
    const std::size_t ofChunk = (turns + kMostChunks - 1) / kMostChunks * kTurn;
    const unsigned chunks = blocksFor(x.size(), ofChunk);
    auto* sums = reinterpret_cast<double*>(lane.scratch);
    launch(lane.stream, chunks, aligned ? squareChunks<vectorOf<float>()> : squareChunks<1>,
           x.data(), x.size(), ofChunk, sums);
    launch(lane.stream, 1U, addSums, sums, static_cast<int>(chunks), sum);
}

} // namespace engine::cuda
