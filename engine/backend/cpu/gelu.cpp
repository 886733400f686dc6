#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

// gelu(x) = x / 2 (1 + tanh(a (x + b x^3))), a = sqrt(2 / pi)
constexpr double kA = 0.79788456080286535588, kB = 0.044715;

} // namespace

template<class Real>
BS_VECTORIZED void gelu(std::span<const Real> x, std::span<Real> y)
{
    const Real* in = x.data();
    Real* out = y.data();
    const std::size_t count = y.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const Real v = in[i];
        const Real t = hyperbolicTangent(Real(kA) * (v + Real(kB) * v * v * v));
        out[i] = Real(0.5) * v * (Real(1) + t);
    }
}

template<class Real>
BS_VECTORIZED void geluBackward(std::span<const Real> dy, std::span<Real> x)
{
    const Real* d = dy.data();
    Real* inOut = x.data();
    const std::size_t count = x.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
        const Real v = inOut[i];
        const Real t = hyperbolicTangent(Real(kA) * (v + Real(kB) * v * v * v));
        const Real slope = Real(kA) * (Real(1) + Real(3 * kB) * v * v);
        inOut[i] = d[i] * (Real(0.5) * (Real(1) + t + v * (Real(1) - t * t) * slope));
    }
}

template void gelu(std::span<const float>, std::span<float>);
template void gelu(std::span<const double>, std::span<double>);
template void geluBackward(std::span<const float>, std::span<float>);
template void geluBackward(std::span<const double>, std::span<double>);

} // namespace engine::cpu
