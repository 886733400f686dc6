#include "engine/backend/cuda/column_sums.h"
#include "engine/backend/cuda/operations.h"
#include "engine/backend/cuda/row_group.h"

// A row is read twice for its statistics and once more to be written; the second and third time it
// comes from the first-level cache (a row of 12288 numbers is 48 KiB). Bound by memory: 8 bytes a
// number forwards, 12 (16 with a residual) and once more x and dy for the columns backwards.
namespace engine::cuda {
namespace {

constexpr float kEpsilon = 1e-5F;

template<int kCount, int kGroup, class Real>
__global__ void __launch_bounds__(kThreads) forwardRows(LayerNorm<Real> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const Real* x = rowOf(op.x, row);
    float sum = 0, squares = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c);
        for (int i = 0; i < kCount; ++i)
            sum += values.at[i];
    }
    const float mean = Group::sum(sum) / static_cast<float>(n);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c);
        for (int i = 0; i < kCount; ++i)
            squares += (values.at[i] - mean) * (values.at[i] - mean);
    }
    const float inverse = 1.0F / sqrtf(Group::sum(squares) / static_cast<float>(n) + kEpsilon);
    Real* y = rowOf(op.y, row);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        auto values = load<kCount>(x + c);
        const auto gain = load<kCount>(op.gain + c), bias = load<kCount>(op.bias + c);
        for (int i = 0; i < kCount; ++i)
            values.at[i] = (values.at[i] - mean) * inverse * gain.at[i] + bias.at[i];
        store(y + c, values);
    }
    if (lane == 0) {
        op.mean[row] = mean;
        op.inverseDeviation[row] = inverse;
    }
}

template<class Real>
struct Forward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &forwardRows<kCount, kGroup, Real>;
    }
};

// dx may be where x or the residual is: a thread writes only what it alone reads, and after the
// group's sums.
template<int kCount, int kGroup, class Real>
__global__ void __launch_bounds__(kThreads) backwardRows(LayerNormBackward<Real> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const Real *x = rowOf(op.x, row), *dy = rowOf(op.dy, row);
    const float mean = op.mean[row], inverse = op.inverseDeviation[row];
    float sum = 0, product = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        for (int i = 0; i < kCount; ++i) {
            sum += d.at[i] * gain.at[i];
            product += d.at[i] * gain.at[i] * ((values.at[i] - mean) * inverse);
        }
    }
    sum = Group::sum(sum) / static_cast<float>(n);
    product = Group::sum(product) / static_cast<float>(n);
    const Real* residual = op.residual.data == nullptr ? nullptr : rowOf(op.residual, row);
    Real* dx = rowOf(op.dx, row);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        auto out = residual == nullptr ? Pack<kCount>{} : load<kCount>(residual + c);
        for (int i = 0; i < kCount; ++i) {
            const float h = (values.at[i] - mean) * inverse;
            out.at[i] += (d.at[i] * gain.at[i] - sum - h * product) * inverse;
        }
        store(dx + c, out);
    }
}

template<class Real>
struct Backward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &backwardRows<kCount, kGroup, Real>;
    }
};

template<class Real>
struct ParameterGradients // dGain, dBias
{
    Matrix<const Real> x, dy;
    const float *mean, *inverse;

    __device__ void operator()(int row, int column, float (&sums)[2]) const
    {
        const auto d = static_cast<float>(rowOf(dy, row)[column]);
        sums[0] += d * ((static_cast<float>(rowOf(x, row)[column]) - mean[row]) * inverse[row]);
        sums[1] += d;
    }
};

} // namespace

template<class Real>
void layerNorm(const Lane& lane, const LayerNorm<Real>& op)
{
    const bool aligned = isAligned(op.x) && isAligned(op.y) && areAligned({op.gain, op.bias});
    launchRows<Forward<Real>, Real>(lane.stream, op.x.rows, op.x.columns, aligned, op);
}

template<class Real>
void layerNormBackward(const Lane& lane, const LayerNormBackward<Real>& op)
{
    const ParameterGradients<Real> value{op.x, op.dy, op.mean, op.inverseDeviation};
    addColumnSums<2>(lane, op.x.rows, op.x.columns, value,
                     {op.dGain, op.dBias}); // before dx lies on x
    const bool aligned = isAligned(op.x) && isAligned(op.dy) && isAligned(op.residual)
        && isAligned(op.dx) && areAligned({op.gain});
    launchRows<Backward<Real>, Real>(lane.stream, op.x.rows, op.x.columns, aligned, op);
}

template void layerNorm(const Lane&, const LayerNorm<float>&);
template void layerNormBackward(const Lane&, const LayerNormBackward<float>&);
template void layerNorm(const Lane&, const LayerNorm<bfloat16>&);
template void layerNormBackward(const Lane&, const LayerNormBackward<bfloat16>&);

} // namespace engine::cuda
