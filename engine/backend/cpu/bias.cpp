#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

template<class Real>
BS_VECTORIZED void addBias(Matrix<Real> y, const Real* bias)
{
    for (int r = 0; r < y.rows; ++r) {
        Real* row = y.row(r);
#pragma omp simd
        for (int c = 0; c < y.columns; ++c)
            row[c] = Real(Wide<Real>(row[c]) + Wide<Real>(bias[c]));
    }
}

template<class Real>
BS_VECTORIZED void addBiasGradient(Matrix<const Real> dy, Wide<Real>* dBias)
{
    for (int r = 0; r < dy.rows; ++r) {
        const Real* row = dy.row(r);
#pragma omp simd
        for (int c = 0; c < dy.columns; ++c)
            dBias[c] += Wide<Real>(row[c]);
    }
}

template<class Real>
BS_VECTORIZED void add(std::span<const Real> x, std::span<Real> y)
{
    const Real* from = x.data();
    Real* to = y.data();
    const std::size_t count = y.size();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i)
        to[i] = Real(Wide<Real>(to[i]) + Wide<Real>(from[i]));
}

template void addBias(Matrix<float>, const float*);
template void addBias(Matrix<double>, const double*);
template void addBias(Matrix<bfloat16>, const bfloat16*);
template void addBiasGradient(Matrix<const float>, float*);
template void addBiasGradient(Matrix<const double>, double*);
template void addBiasGradient(Matrix<const bfloat16>, float*);
template void add(std::span<const float>, std::span<float>);
template void add(std::span<const double>, std::span<double>);
template void add(std::span<const bfloat16>, std::span<bfloat16>);

} // namespace engine::cpu
