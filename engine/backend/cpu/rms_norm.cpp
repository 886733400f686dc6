#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

constexpr double kRmsEpsilon = 1e-5;

} // namespace

template<class Real>
BS_VECTORIZED void rmsNorm(const RmsNorm<Real>& op)
{
    const int n = op.x.columns;
    const Real* gain = op.gain;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real* x = op.x.row(r);
        Real* y = op.y.row(r);
        Real squares = 0;
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < n; ++c)
            squares += x[c] * x[c];
        const Real inverse = Real(1) / std::sqrt(squares / Real(n) + Real(kRmsEpsilon));
#pragma omp simd
        for (int c = 0; c < n; ++c)
            y[c] = x[c] * inverse * gain[c];
        op.inverse[r] = inverse;
    }
}

// With h = x / root mean square and g = dy gain: dx = residual + (g - h mean(g h)) / root.
template<class Real>
BS_VECTORIZED void rmsNormBackward(const RmsNormBackward<Real>& op)
{
    const int n = op.x.columns;
    const Real* gain = op.gain;
    Real* dGain = op.dGain;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real *x = op.x.row(r), *dy = op.dy.row(r);
        const Real* residual = op.residual.data != nullptr ? op.residual.row(r) : nullptr;
        Real* dx = op.dx.row(r);
        const Real inverse = op.inverse[r];
        Real product = 0;
#pragma omp simd reduction(+ : product)
        for (int c = 0; c < n; ++c)
            product += dy[c] * gain[c] * x[c] * inverse;
        product /= Real(n);
#pragma omp simd
        for (int c = 0; c < n; ++c) {
            const Real h = x[c] * inverse;
            dGain[c] += dy[c] * h;
            dx[c] = (residual != nullptr ? residual[c] : Real(0))
                + (dy[c] * gain[c] - h * product) * inverse;
        }
    }
}

template void rmsNorm(const RmsNorm<float>&);
template void rmsNorm(const RmsNorm<double>&);
template void rmsNormBackward(const RmsNormBackward<float>&);
template void rmsNormBackward(const RmsNormBackward<double>&);

} // namespace engine::cpu
