#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

// gelu(x) = x / 2 (1 + tanh(a (x + b x^3))), a = sqrt(2 / pi)
constexpr double kA = 0.79788456080286535588, kB = 0.044715;

template<class Real>
BS_INLINE Real logistic(Real x)
{
    return Real(1) / (Real(1) + exponential(-x));
}

} // namespace

template<class Real>
BS_VECTORIZED void gelu(std::span<const Real> x, std::span<Real> y)
{
    using W = Wide<Real>;
    const Real* in = x.data();
    Real* out = y.data();
    const std::size_t count = y.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const auto v = W(in[i]);
        const W t = hyperbolicTangent(W(kA) * (v + W(kB) * v * v * v));
        out[i] = Real(W(0.5) * v * (W(1) + t));
    }
}

template<class Real>
BS_VECTORIZED void geluBackward(std::span<const Real> dy, std::span<Real> x)
{
    using W = Wide<Real>;
    const Real* d = dy.data();
    Real* inOut = x.data();
    const std::size_t count = x.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const auto v = W(inOut[i]);
        const W t = hyperbolicTangent(W(kA) * (v + W(kB) * v * v * v));
        const W slope = W(kA) * (W(1) + W(3 * kB) * v * v);
        inOut[i] = Real(W(d[i]) * (W(0.5) * (W(1) + t + v * (W(1) - t * t) * slope)));
    }
}

template void gelu(std::span<const float>, std::span<float>);
template void gelu(std::span<const double>, std::span<double>);
template void gelu(std::span<const bfloat16>, std::span<bfloat16>);
template void geluBackward(std::span<const float>, std::span<float>);
template void geluBackward(std::span<const double>, std::span<double>);
template void geluBackward(std::span<const bfloat16>, std::span<bfloat16>);

template<class Real>
BS_VECTORIZED void swiGlu(Matrix<const Real> x, Matrix<Real> y)
{
    using W = Wide<Real>;
    const int n = y.columns;
    for (int r = 0; r < y.rows; ++r) {
        const Real *gate = x.row(r), *up = gate + n;
        Real* out = y.row(r);
#pragma omp simd
        for (int c = 0; c < n; ++c)
            out[c] = Real(W(gate[c]) * logistic(W(gate[c])) * W(up[c]));
    }
}

// With s = logistic(gate): dGate = dy up s (1 + gate (1 - s)), dUp = dy gate s.
template<class Real>
BS_VECTORIZED void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x)
{
    using W = Wide<Real>;
    const int n = dy.columns;
    for (int r = 0; r < dy.rows; ++r) {
        Real *gate = x.row(r), *up = gate + n;
        const Real* d = dy.row(r);
#pragma omp simd
        for (int c = 0; c < n; ++c) {
            const auto g = W(gate[c]), u = W(up[c]), dc = W(d[c]);
            const W s = logistic(g);
            gate[c] = Real(dc * u * s * (W(1) + g * (W(1) - s)));
            up[c] = Real(dc * g * s);
        }
    }
}

template void swiGlu(Matrix<const float>, Matrix<float>);
template void swiGlu(Matrix<const double>, Matrix<double>);
template void swiGlu(Matrix<const bfloat16>, Matrix<bfloat16>);
template void swiGluBackward(Matrix<const float>, Matrix<float>);
template void swiGluBackward(Matrix<const double>, Matrix<double>);
template void swiGluBackward(Matrix<const bfloat16>, Matrix<bfloat16>);

} // namespace engine::cpu
