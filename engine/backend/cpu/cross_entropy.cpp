#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

// One row to probabilities; -log p(target).
template<class Real>
BS_INLINE double rowLoss(Real* row, int n, std::int32_t target)
{
    Real largest = row[0], sum = 0;
#pragma omp simd reduction(max : largest)
    for (int c = 0; c < n; ++c)
        largest = row[c] > largest ? row[c] : largest;
    const Real distance = row[target] - largest;
#pragma omp simd reduction(+ : sum)
    for (int c = 0; c < n; ++c) {
        row[c] = exponential(row[c] - largest);
        sum += row[c];
    }
    const Real inverse = Real(1) / sum;
#pragma omp simd
    for (int c = 0; c < n; ++c)
        row[c] *= inverse;
    return std::log(static_cast<double>(sum)) - static_cast<double>(distance);
}

} // namespace

template<class Real>
BS_VECTORIZED double crossEntropy(Matrix<Real> logits, std::span<const std::int32_t> targets)
{
    double loss = 0;
    for (int r = 0; r < logits.rows; ++r)
        if (targets.data()[r] >= 0)
            loss += rowLoss(logits.row(r), logits.columns, targets.data()[r]);
    return loss;
}

template<class Real>
BS_VECTORIZED void crossEntropyBackward(Matrix<Real> probabilities,
                                        std::span<const std::int32_t> targets, Real scale)
{
    for (int r = 0; r < probabilities.rows; ++r) {
        Real* row = probabilities.row(r);
        const std::int32_t target = targets.data()[r];
        if (target < 0) {
            std::fill_n(row, probabilities.columns, Real(0));
            continue;
        }
#pragma omp simd
        for (int c = 0; c < probabilities.columns; ++c)
            row[c] *= scale;
        row[target] -= scale;
    }
}

template double crossEntropy(Matrix<float>, std::span<const std::int32_t>);
template double crossEntropy(Matrix<double>, std::span<const std::int32_t>);
template void crossEntropyBackward(Matrix<float>, std::span<const std::int32_t>, float);
template void crossEntropyBackward(Matrix<double>, std::span<const std::int32_t>, double);

} // namespace engine::cpu
