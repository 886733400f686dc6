#include "engine/backend/cuda/column_sums.h"
#include "engine/backend/cuda/elements.h"
#include "engine/backend/cuda/operations.h"

namespace engine::cuda {
namespace {

struct AddBias
{
    Matrix<float> y;
    const float* bias;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        const auto columns = static_cast<std::size_t>(y.columns);
        const auto column = first % columns;
        float* to = rowOf(y, static_cast<int>(first / columns)) + column;
        auto values = load<kCount>(to);
        const auto add = load<kCount>(bias + column);
        for (int i = 0; i < kCount; ++i)
            values.at[i] += add.at[i];
        store(to, values);
    }
};

struct Add
{
    const float* x;
    float* y;

    template<int kCount>
    __device__ void operator()(std::size_t first) const
    {
        auto values = load<kCount>(y + first);
        const auto add = load<kCount>(x + first);
        for (int i = 0; i < kCount; ++i)
            values.at[i] += add.at[i];
        store(y + first, values);
    }
};

struct BiasGradient
{
    Matrix<const float> dy;

    __device__ void operator()(int row, int column, float (&sums)[1]) const
    {
        sums[0] += rowOf(dy, row)[column];
    }
};

} // namespace

__global__ void __launch_bounds__(kThreads)
    addChunks(const float* partials, int chunks, int columns, float* out)
{
    const auto column = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (column >= columns)
        return;
    float total = 0;
    for (int chunk = 0; chunk < chunks; ++chunk)
        total += partials[static_cast<std::ptrdiff_t>(chunk) * columns + column];
    out[column] += total;
}

void addBias(const Lane& lane, Matrix<float> y, const float* bias)
{
    const auto count = static_cast<std::size_t>(y.rows) * static_cast<std::size_t>(y.columns);
    forEach(lane.stream, count, isAligned(y) && areAligned({bias}), AddBias{y, bias});
}

void addBiasGradient(const Lane& lane, Matrix<const float> dy, float* dBias)
{
    addColumnSums<1>(lane, dy.rows, dy.columns, BiasGradient{dy}, {dBias});
}

void add(const Lane& lane, std::span<const float> x, std::span<float> y)
{
    CHECK(x.size() >= y.size());
    forEach(lane.stream, y.size(), areAligned({x.data(), y.data()}), Add{x.data(), y.data()});
}

} // namespace engine::cuda
