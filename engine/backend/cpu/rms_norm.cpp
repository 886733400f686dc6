#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

constexpr double kRmsEpsilon = 1e-5;

} // namespace

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
