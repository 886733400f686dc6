#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

template<class Real>
BS_INLINE Real logistic(Real x)
{
    return Real(1) / (Real(1) + exponential(-x));
}

} // namespace

template<class Real>
BS_VECTORIZED void swiGlu(Matrix<const Real> x, Matrix<Real> y)
{
    const int n = y.columns;
    for (int r = 0; r < y.rows; ++r) {
        const Real *gate = x.row(r), *up = gate + n;
        Real* out = y.row(r);
#pragma omp simd
        for (int c = 0; c < n; ++c)
            out[c] = gate[c] * logistic(gate[c]) * up[c];
    }
}

// With s = logistic(gate): dGate = dy up s (1 + gate (1 - s)), dUp = dy gate s.
template<class Real>
BS_VECTORIZED void swiGluBackward(Matrix<const Real> dy, Matrix<Real> x)
{
    const int n = dy.columns;
    for (int r = 0; r < dy.rows; ++r) {
        Real *gate = x.row(r), *up = gate + n;
        const Real* d = dy.row(r);
#pragma omp simd
        for (int c = 0; c < n; ++c) {
            const Real g = gate[c], u = up[c], s = logistic(g);
            gate[c] = d[c] * u * s * (Real(1) + g * (Real(1) - s));
            up[c] = d[c] * g * s;
        }
    }
}

template void swiGlu(Matrix<const float>, Matrix<float>);
template void swiGlu(Matrix<const double>, Matrix<double>);
template void swiGluBackward(Matrix<const float>, Matrix<float>);
template void swiGluBackward(Matrix<const double>, Matrix<double>);

} // namespace engine::cpu
