#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {

template<class Real>
BS_VECTORIZED void causalSoftmax(Matrix<Real> scores)
{
    for (int r = 0; r < scores.rows; ++r) {
        Real* row = scores.row(r);
        const int seen = r + 1;
        Real largest = row[0], sum = 0;
#pragma omp simd reduction(max : largest)
        for (int c = 0; c < seen; ++c)
            largest = row[c] > largest ? row[c] : largest;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < seen; ++c) {
            row[c] = exponential(row[c] - largest);
            sum += row[c];
        }
        const Real inverse = Real(1) / sum;
#pragma omp simd
        for (int c = 0; c < seen; ++c)
            row[c] *= inverse;
        std::fill(row + seen, row + scores.columns, Real(0));
    }
}

template void causalSoftmax(Matrix<float>);
template void causalSoftmax(Matrix<double>);

} // namespace engine::cpu
