#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

constexpr double kEpsilon = 1e-5;

} // namespace

template<class Real>
BS_VECTORIZED void layerNorm(const LayerNorm<Real>& op)
{
    const int n = op.x.columns;
    const Real *gain = op.gain, *bias = op.bias;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real* x = op.x.row(r);
        Real* y = op.y.row(r);
        Real sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < n; ++c)
            sum += x[c];
        const Real mean = sum / Real(n);
#pragma omp simd reduction(+ : squares)
        for (int c = 0; c < n; ++c)
            squares += (x[c] - mean) * (x[c] - mean);
        const Real inverse = Real(1) / std::sqrt(squares / Real(n) + Real(kEpsilon));
#pragma omp simd
        for (int c = 0; c < n; ++c)
            y[c] = (x[c] - mean) * inverse * gain[c] + bias[c];
        op.mean[r] = mean;
        op.inverseDeviation[r] = inverse;
    }
}

// With h = (x - mean) / deviation and g = dy gain:
// dx = residual + (g - mean(g) - h mean(g h)) / deviation.
template<class Real>
BS_VECTORIZED void layerNormBackward(const LayerNormBackward<Real>& op)
{
    const int n = op.x.columns;
    const Real* gain = op.gain;
    Real *dGain = op.dGain, *dBias = op.dBias;
    for (int r = 0; r < op.x.rows; ++r) {
        const Real *x = op.x.row(r), *dy = op.dy.row(r);
        Real* dx = op.dx.row(r);
        const Real mean = op.mean[r], inverse = op.inverseDeviation[r];
        Real sum = 0, product = 0;
#pragma omp simd reduction(+ : sum, product)
        for (int c = 0; c < n; ++c) {
            const Real h = (x[c] - mean) * inverse;
            sum += dy[c] * gain[c];
            product += dy[c] * gain[c] * h;
        }
        sum /= Real(n);
        product /= Real(n);
        const Real* residual = op.residual.data != nullptr ? op.residual.row(r) : nullptr;
#pragma omp simd
        for (int c = 0; c < n; ++c) {
            const Real h = (x[c] - mean) * inverse;
            const Real through = dy[c] * gain[c] - sum - h * product;
            dx[c] = (residual != nullptr ? residual[c] : Real(0)) + through * inverse;
            dGain[c] += dy[c] * h;
            dBias[c] += dy[c];
        }
    }
}

template void layerNorm(const LayerNorm<float>&);
template void layerNorm(const LayerNorm<double>&);
template void layerNormBackward(const LayerNormBackward<float>&);
template void layerNormBackward(const LayerNormBackward<double>&);

} // namespace engine::cpu
