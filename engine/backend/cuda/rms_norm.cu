#include "engine/backend/cuda/column_sums.h"
#include "engine/backend/cuda/operations.h"
#include "engine/backend/cuda/row_group.h"

// As layer_norm.cu, without mean and bias.
namespace engine::cuda {
namespace {

constexpr float kRmsEpsilon = 1e-5F;

template<int kCount, int kGroup>
__global__ void __launch_bounds__(kThreads) rmsForwardRows(RmsNorm<float> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const float* x = rowOf(op.x, row);
    float squares = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c);
        for (int i = 0; i < kCount; ++i)
            squares += values.at[i] * values.at[i];
    }
    const float inverse = 1.0F / sqrtf(Group::sum(squares) / static_cast<float>(n) + kRmsEpsilon);
    float* y = rowOf(op.y, row);
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

struct RmsForward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &rmsForwardRows<kCount, kGroup>;
    }
};

// dx may be where x or the residual is.
template<int kCount, int kGroup>
__global__ void __launch_bounds__(kThreads) rmsBackwardRows(RmsNormBackward<float> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const float *x = rowOf(op.x, row), *dy = rowOf(op.dy, row);
    const float inverse = op.inverse[row];
    float product = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        for (int i = 0; i < kCount; ++i)
            product += d.at[i] * gain.at[i] * values.at[i] * inverse;
    }
    product = Group::sum(product) / static_cast<float>(n);
    const float* residual = op.residual.data == nullptr ? nullptr : rowOf(op.residual, row);
    float* dx = rowOf(op.dx, row);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        auto out = residual == nullptr ? Pack<kCount>{} : load<kCount>(residual + c);
        for (int i = 0; i < kCount; ++i)
            out.at[i] += (d.at[i] * gain.at[i] - values.at[i] * inverse * product) * inverse;
        store(dx + c, out);
    }
}

struct RmsBackward
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &rmsBackwardRows<kCount, kGroup>;
    }
};

struct GainGradient
{
    Matrix<const float> x, dy;
    const float* inverse;

    __device__ void operator()(int row, int column, float (&sums)[1]) const
    {
        sums[0] += rowOf(dy, row)[column] * (rowOf(x, row)[column] * inverse[row]);
    }
};

} // namespace

void rmsNorm(const Lane& lane, const RmsNorm<float>& op)
{
    const bool aligned = isAligned(op.x) && isAligned(op.y) && areAligned({op.gain});
    launchRows<RmsForward>(lane.stream, op.x.rows, op.x.columns, aligned, op);
}

void rmsNormBackward(const Lane& lane, const RmsNormBackward<float>& op)
{
    const GainGradient value{op.x, op.dy, op.inverse};
    addColumnSums<1>(lane, op.x.rows, op.x.columns, value, {op.dGain}); // before dx lies on x
    const bool aligned = isAligned(op.x) && isAligned(op.dy) && isAligned(op.residual)
        && isAligned(op.dx) && areAligned({op.gain});
    launchRows<RmsBackward>(lane.stream, op.x.rows, op.x.columns, aligned, op);
}

} // namespace engine::cuda
