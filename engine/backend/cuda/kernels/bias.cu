#include "engine/backend/cuda/kernels/column_sums.h"
#include "engine/backend/cuda/kernels/elements.h"
#include "engine/backend/cuda/kernels/operations.h"

namespace engine::cuda {
namespace {

__device__ inline float sum(float a, float b)
{
    return a + b;
}

template<class Real>
struct AddBias
{
    Matrix<Real> y;
    const Real* bias;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const Place place = placeOf(first, y.columns);
        combineInto<kCount>(at(y, place), bias + place.column, sum);
    }
};

template<class Real>
struct Add
{
    const Real* x;
    Real* y;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        combineInto<kCount>(y + first, x + first, sum);
    }
};

template<class Real>
struct RoundRows
{
    Matrix<const float> x;
    Matrix<Real> y;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const Place place = placeOf(first, y.columns);
        store(at(y, place), load<kCount>(at(x, place)));
    }
};

template<class Real>
struct BiasGradient
{
    Matrix<const Real> dy;

    __device__ void operator()(int row, int column, float (&sums)[1]) const
    {
        sums[0] += static_cast<float>(rowOf(dy, row)[column]);
    }
};

} // namespace

__global__ void __launch_bounds__(kThreads)
    addChunks(const float* partials, int chunks, int columns, ColumnSumTargets targets)
{
    using Plan = ColumnSumPlan;
    __shared__ float lanes[Plan::kRowLanes][Plan::kColumns];
    const int lane = static_cast<int>(threadIdx.x) / Plan::kColumns;
    const int x = static_cast<int>(threadIdx.x) % Plan::kColumns;
    const int column = static_cast<int>(blockIdx.x) * Plan::kColumns + x;
    const int target = static_cast<int>(blockIdx.y);
    float total = 0;
    if (column < columns)
        for (int chunk = lane; chunk < chunks; chunk += Plan::kRowLanes)
            total += partials[(static_cast<std::ptrdiff_t>(target) * chunks + chunk) * columns
                              + column];
    lanes[lane][x] = total;
    __syncthreads();
    // Indexing with `target` would put the array into local memory.
    float* const to = target == 0 ? targets.at[0] : targets.at[1];
    if (lane != 0 || column >= columns || to == nullptr)
        return;
    for (int other = 1; other < Plan::kRowLanes; ++other)
        total += lanes[other][x];
    to[column] += total;
}

template<class Real>
void addBias(const OpStream& opStream, Matrix<Real> y, const Real* bias)
{
    forEach<vectorOf<Real>()>(opStream.stream, countOf(y), isAligned(y) && areAligned({bias}),
                              AddBias<Real>{y, bias});
}

template<class Real>
void addBiasGradient(const OpStream& opStream, Matrix<const Real> dy, float* dBias)
{
    addColumnSums<1>(opStream, dy.rows, dy.columns, BiasGradient<Real>{dy}, {dBias});
}

template<class Real>
void add(const OpStream& opStream, std::span<const Real> x, std::span<Real> y)
{
    CHECK(x.size() >= y.size());
    forEach<vectorOf<Real>()>(opStream.stream, y.size(), areAligned({x.data(), y.data()}),
                              Add<Real>{x.data(), y.data()});
}

template<class Real>
void roundRows(const OpStream& opStream, Matrix<const float> x, Matrix<Real> y)
{
    forEach<vectorOf<float>()>(opStream.stream, countOf(y), isAligned(x) && isAligned(y),
                               RoundRows<Real>{x, y});
}

template void addBias(const OpStream&, Matrix<float>, const float*);
template void addBias(const OpStream&, Matrix<bfloat16>, const bfloat16*);
template void addBiasGradient(const OpStream&, Matrix<const float>, float*);
template void addBiasGradient(const OpStream&, Matrix<const bfloat16>, float*);
template void add(const OpStream&, std::span<const float>, std::span<float>);
template void add(const OpStream&, std::span<const bfloat16>, std::span<bfloat16>);
template void roundRows(const OpStream&, Matrix<const float>, Matrix<float>);
template void roundRows(const OpStream&, Matrix<const float>, Matrix<bfloat16>);

} // namespace engine::cuda
