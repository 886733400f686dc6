#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

constexpr double kEpsilon = 1e-5;

constexpr double kRmsEpsilon = 1e-5;

} // namespace

template<class Real>
BS_VECTORIZED void layerNorm(const LayerNorm<Real>& op)
{
    using W = Wide<Real>;
    const int n = op.x.columns;
    const Real *gain = op.gain, *bias = op.bias;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real* x = op.x.row(r);
        Real* y = op.y.row(r);
        W sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < n; ++c)
            sum += W(x[c]);
        const W mean = sum / W(n);
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < n; ++c)
            squares += (W(x[c]) - mean) * (W(x[c]) - mean);
        const W inverse = W(1) / std::sqrt(squares / W(n) + W(kEpsilon));
#pragma omp simd
        for (int c = 0; c < n; ++c)
            y[c] = Real((W(x[c]) - mean) * inverse * W(gain[c]) + W(bias[c]));
        op.mean[r] = mean;
        op.inverseDeviation[r] = inverse;
    }
}

// With h = (x - mean) / deviation and g = dy * gain:
// dx = residual + (g - mean(g) - h * mean(g * h)) / deviation.
template<class Real>
BS_VECTORIZED void layerNormBackward(const LayerNormBackward<Real>& op)
{
    using W = Wide<Real>;
    const int n = op.x.columns;
    const Real* gain = op.gain;
    W *dGain = op.dGain, *dBias = op.dBias;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real *x = op.x.row(r), *dy = op.dy.row(r);
        Real* dx = op.dx.row(r);
        const W mean = op.mean[r], inverse = op.inverseDeviation[r];
        W sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
        for (int c = 0; c < n; ++c) {
            const W h = (W(x[c]) - mean) * inverse;
            sum += W(dy[c]) * W(gain[c]);
            product += W(dy[c]) * W(gain[c]) * h;
        }
        sum /= W(n);
        product /= W(n);
        const Real* residual = op.residual.data != nullptr ? op.residual.row(r) : nullptr;
#pragma omp simd
        for (int c = 0; c < n; ++c) {
            const auto d = W(dy[c]), h = (W(x[c]) - mean) * inverse;
            const W through = d * W(gain[c]) - sum - h * product;
            dx[c] = Real((residual != nullptr ? W(residual[c]) : W(0)) + through * inverse);
            dGain[c] += d * h;
            dBias[c] += d;
        }
    }
}

template void layerNorm(const LayerNorm<float>&);
template void layerNorm(const LayerNorm<double>&);
template void layerNorm(const LayerNorm<bfloat16>&);
template void layerNormBackward(const LayerNormBackward<float>&);
template void layerNormBackward(const LayerNormBackward<double>&);
template void layerNormBackward(const LayerNormBackward<bfloat16>&);

template<class Real>
BS_VECTORIZED void rmsNorm(const RmsNorm<Real>& op)
{
    using W = Wide<Real>;
    const int n = op.x.columns;
    const Real* gain = op.gain;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real* x = op.x.row(r);
        Real* y = op.y.row(r);
        W squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < n; ++c)
            squares += W(x[c]) * W(x[c]);
        const W inverse = W(1) / std::sqrt(squares / W(n) + W(kRmsEpsilon));
#pragma omp simd
        for (int c = 0; c < n; ++c)
            y[c] = Real(W(x[c]) * inverse * W(gain[c]));
        op.inverse[r] = inverse;
    }
}

// With h = x / rms and g = dy * gain: dx = residual + (g - h * mean(g * h)) / rms.
template<class Real>
BS_VECTORIZED void rmsNormBackward(const RmsNormBackward<Real>& op)
{
    using W = Wide<Real>;
    const int n = op.x.columns;
    const Real* gain = op.gain;
    W* dGain = op.dGain;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real *x = op.x.row(r), *dy = op.dy.row(r);
        const Real* residual = op.residual.data != nullptr ? op.residual.row(r) : nullptr;
        Real* dx = op.dx.row(r);
        const W inverse = op.inverse[r];
        W product = 0;
#pragma omp simd reduction(+ : product)
        for (int c = 0; c < n; ++c)
            product += W(dy[c]) * W(gain[c]) * W(x[c]) * inverse;
        product /= W(n);
#pragma omp simd
        for (int c = 0; c < n; ++c) {
            const auto d = W(dy[c]), h = W(x[c]) * inverse;
            dGain[c] += d * h;
            dx[c] = Real((residual != nullptr ? W(residual[c]) : W(0))
                         + (d * W(gain[c]) - h * product) * inverse);
        }
    }
}

template void rmsNorm(const RmsNorm<float>&);
template void rmsNorm(const RmsNorm<double>&);
template void rmsNorm(const RmsNorm<bfloat16>&);
template void rmsNormBackward(const RmsNormBackward<float>&);
template void rmsNormBackward(const RmsNormBackward<double>&);
template void rmsNormBackward(const RmsNormBackward<bfloat16>&);

} // namespace engine::cpu
