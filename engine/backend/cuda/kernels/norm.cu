#include "engine/backend/cuda/kernels/column_sums.h"
#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/kernels/row_group.h"

// Layer norm, and RMSNorm, which is layer norm without mean and bias. A row is read twice for its
// statistics and once more for the result; the second and third read hit the L1 cache (a row of
// 12288 numbers is 48 KiB). Both norms are memory-bound. Per number the forward moves 8 bytes and
// the backward 12 (16 with a residual); the column sums read x and dy once more.
namespace engine::cuda {
namespace {

constexpr float kEpsilon = 1e-5F;

struct Layer
{
    static constexpr bool kIsCentred = true;
};
struct Rms
{
    static constexpr bool kIsCentred = false;
};

template<class Real>
struct Forward
{
    Matrix<const Real> x;
    const Real *gain, *bias; // bias: only for layer norm
    Matrix<Real> y;
    // One number per row. mean: only for layer norm; inverse: 1 / deviation, or 1 / root mean
    // square.
    float *mean, *inverse;
};

template<int kCount, int kGroup, class Norm, class Real>
__global__ void __launch_bounds__(kThreads) normRows(Forward<Real> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const Real* x = rowOf(op.x, row);
    float mean = 0, squares = 0;
    if constexpr (Norm::kIsCentred) {
        float sum = 0;
        for (int c = lane * kCount; c < n; c += kGroup * kCount) {
            const auto values = load<kCount>(x + c);
            for (int i = 0; i < kCount; ++i)
                sum += values.at[i];
        }
        mean = Group::sum(sum) / static_cast<float>(n);
    }
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c);
        for (int i = 0; i < kCount; ++i)
            squares += (values.at[i] - mean) * (values.at[i] - mean);
    }
    const float inverse = 1.0F / sqrtf(Group::sum(squares) / static_cast<float>(n) + kEpsilon);
    Real* y = rowOf(op.y, row);
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        auto values = load<kCount>(x + c);
        const auto gain = load<kCount>(op.gain + c);
        for (int i = 0; i < kCount; ++i)
            values.at[i] = (values.at[i] - mean) * inverse * gain.at[i];
        if constexpr (Norm::kIsCentred) {
            const auto bias = load<kCount>(op.bias + c);
            for (int i = 0; i < kCount; ++i)
                values.at[i] += bias.at[i];
        }
        store(y + c, values);
    }
    if (lane != 0)
        return;
    if constexpr (Norm::kIsCentred)
        op.mean[row] = mean;
    op.inverse[row] = inverse;
}

template<class Norm, class Real>
struct ForwardKernels
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &normRows<kCount, kGroup, Norm, Real>;
    }
};

template<class Real>
struct Backward
{
    Matrix<const Real> x, dy, residual; // the residual is optional
    const Real* gain;
    const float *mean, *inverse;
    Matrix<Real> dx;
};

// dx may alias x or the residual: a thread reads and writes only its own columns of a row, and
// writes them after its group has computed the sums.
template<int kCount, int kGroup, class Norm, class Real>
__global__ void __launch_bounds__(kThreads) normBackwardRows(Backward<Real> op)
{
    using Group = RowGroup<kGroup>;
    const int row = Group::row(), n = op.x.columns, lane = Group::lane();
    if (row >= op.x.rows)
        return;
    const Real *x = rowOf(op.x, row), *dy = rowOf(op.dy, row);
    const float mean = Norm::kIsCentred ? op.mean[row] : 0.0F, inverse = op.inverse[row];
    float sum = 0, product = 0;
    for (int c = lane * kCount; c < n; c += kGroup * kCount) {
        const auto values = load<kCount>(x + c), d = load<kCount>(dy + c),
                   gain = load<kCount>(op.gain + c);
        for (int i = 0; i < kCount; ++i) {
            if constexpr (Norm::kIsCentred)
                sum += d.at[i] * gain.at[i];
            product += d.at[i] * gain.at[i] * (values.at[i] - mean) * inverse;
        }
    }
    if constexpr (Norm::kIsCentred)
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

template<class Norm, class Real>
struct BackwardKernels
{
    template<int kCount, int kGroup>
    static auto kernel()
    {
        return &normBackwardRows<kCount, kGroup, Norm, Real>;
    }
};

template<class Norm, class Real>
struct NormGradients // gradients of the gain and, for layer norm, of the bias
{
    static constexpr int kCount = Norm::kIsCentred ? 2 : 1;
    Matrix<const Real> x, dy;
    const float *mean, *inverse;

    __device__ void operator()(int row, int column, float (&sums)[kCount]) const
    {
        const auto d = static_cast<float>(rowOf(dy, row)[column]);
        const float centre = Norm::kIsCentred ? mean[row] : 0.0F;
        sums[0] += d * ((static_cast<float>(rowOf(x, row)[column]) - centre) * inverse[row]);
        if constexpr (Norm::kIsCentred)
            sums[1] += d;
    }
};

template<class Norm, class Real>
void norm(const OpStream& opStream, const Forward<Real>& op)
{
    const bool aligned = isAligned(op.x) && isAligned(op.y) && areAligned({op.gain, op.bias});
    launchRows<ForwardKernels<Norm, Real>, Real>(opStream.stream, op.x.rows, op.x.columns, aligned,
                                                 op);
}

// `parameters` are the accumulated gradients of gain and bias.
template<class Norm, class Real>
void normBackward(const OpStream& opStream, const Backward<Real>& op,
                  float* const (&parameters)[NormGradients<Norm, Real>::kCount])
{
    using Gradients = NormGradients<Norm, Real>;
    addColumnSums<Gradients::kCount>(opStream, op.x.rows, op.x.columns,
                                     Gradients{op.x, op.dy, op.mean, op.inverse},
                                     parameters); // before dx overwrites x
    const bool aligned = isAligned(op.x) && isAligned(op.dy) && isAligned(op.residual)
        && isAligned(op.dx) && areAligned({op.gain});
    launchRows<BackwardKernels<Norm, Real>, Real>(opStream.stream, op.x.rows, op.x.columns, aligned,
                                                  op);
}

} // namespace

template<class Real>
void layerNorm(const OpStream& opStream, const LayerNorm<Real>& op)
{
    norm<Layer, Real>(opStream, {op.x, op.gain, op.bias, op.y, op.mean, op.inverseDeviation});
}

template<class Real>
void layerNormBackward(const OpStream& opStream, const LayerNormBackward<Real>& op)
{
    normBackward<Layer, Real>(
        opStream, {op.x, op.dy, op.residual, op.gain, op.mean, op.inverseDeviation, op.dx},
        {op.dGain, op.dBias});
}

template<class Real>
void rmsNorm(const OpStream& opStream, const RmsNorm<Real>& op)
{
    norm<Rms, Real>(opStream, {op.x, op.gain, nullptr, op.y, nullptr, op.inverse});
}

template<class Real>
void rmsNormBackward(const OpStream& opStream, const RmsNormBackward<Real>& op)
{
    normBackward<Rms, Real>(
        opStream, {op.x, op.dy, op.residual, op.gain, nullptr, op.inverse, op.dx}, {op.dGain});
}

template void layerNorm(const OpStream&, const LayerNorm<float>&);
template void layerNorm(const OpStream&, const LayerNorm<bfloat16>&);
template void layerNormBackward(const OpStream&, const LayerNormBackward<float>&);
template void layerNormBackward(const OpStream&, const LayerNormBackward<bfloat16>&);
template void rmsNorm(const OpStream&, const RmsNorm<float>&);
template void rmsNorm(const OpStream&, const RmsNorm<bfloat16>&);
template void rmsNormBackward(const OpStream&, const RmsNormBackward<float>&);
template void rmsNormBackward(const OpStream&, const RmsNormBackward<bfloat16>&);

} // namespace engine::cuda
