#include "engine/backend/cuda/column_sums.h"
#include "engine/backend/cuda/operations.h"
#include "engine/backend/cuda/row_group.h"

// As layer_norm.cu, without mean and bias.
namespace engine::cuda {
namespace {

constexpr float kRmsEpsilon = 1e-5F;

template<int kCount, int kGroup, class Real>
__global__ void __launch_bounds__(kThreads) rmsForwardRows(RmsNorm<Real> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const Real* x = rowOf(op.x, row);
    float squares = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c);
        for (int i = 0; i < kCount; ++i)
            squares += values.at[i] * values.at[i];
    }
    const float inverse = 1.0F / sqrtf(Group::sum(squares) / static_cast<float>(n) + kRmsEpsilon);
    Real* y = rowOf(op.y, row);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        auto values = load<kCount>(x + c);
        const auto gain = load<kCount>(op.gain + c);
        for (int i = 0; i < kCount; ++i)
            values.at[i] = values.at[i] * inverse * gain.at[i];
        store(y + c, values);
    }
    if (lane == 0)
        op.inverse[row] = inverse;
}

template<class Real>
struct RmsForward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &rmsForwardRows<kCount, kGroup, Real>;
    }
};

// dx may be where x or the residual is.
template<int kCount, int kGroup, class Real>
__global__ void __launch_bounds__(kThreads) rmsBackwardRows(RmsNormBackward<Real> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const Real *x = rowOf(op.x, row), *dy = rowOf(op.dy, row);
    const float inverse = op.inverse[row];
    float product = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        for (int i = 0; i < kCount; ++i)
            product += d.at[i] * gain.at[i] * values.at[i] * inverse;
    }
    product = Group::sum(product) / static_cast<float>(n);
    const Real* residual = op.residual.data == nullptr ? nullptr : rowOf(op.residual, row);
    Real* dx = rowOf(op.dx, row);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        auto out = residual == nullptr ? Pack<kCount>{} : load<kCount>(residual + c);
        for (int i = 0; i < kCount; ++i)
            out.at[i] += (d.at[i] * gain.at[i] - values.at[i] * inverse * product) * inverse;
        store(dx + c, out);
    }
}

template<class Real>
struct RmsBackward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &rmsBackwardRows<kCount, kGroup, Real>;
    }
};

template<class Real>
struct GainGradient
{
    Matrix<const Real> x, dy;
    const float* inverse;

    __device__ void operator()(int row, int column, float (&sums)[1]) const
    {
        sums[0] += static_cast<float>(rowOf(dy, row)[column])
            * (static_cast<float>(rowOf(x, row)[column]) * inverse[row]);
    }
};

} // namespace

template<class Real>
void rmsNorm(const Lane& lane, const RmsNorm<Real>& op)
{
    const bool aligned = isAligned(op.x) && isAligned(op.y) && areAligned({op.gain});
    launchRows<RmsForward<Real>, Real>(lane.stream, op.x.rows, op.x.columns, aligned, op);
}

template<class Real>
void rmsNormBackward(const Lane& lane, const RmsNormBackward<Real>& op)
{
    const GainGradient<Real> value{op.x, op.dy, op.inverse};
    addColumnSums<1>(lane, op.x.rows, op.x.columns, value, {op.dGain}); // before dx lies on x
    const bool aligned = isAligned(op.x) && isAligned(op.dy) && isAligned(op.residual)
        && isAligned(op.dx) && areAligned({op.gain});
    launchRows<RmsBackward<Real>, Real>(lane.stream, op.x.rows, op.x.columns, aligned, op);
}

template void rmsNorm(const Lane&, const RmsNorm<float>&);
template void rmsNormBackward(const Lane&, const RmsNormBackward<float>&);
template void rmsNorm(const Lane&, const RmsNorm<bfloat16>&);
template void rmsNormBackward(const Lane&, const RmsNormBackward<bfloat16>&);

} // namespace engine::cuda
