#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/softmax.h"

namespace engine::cpu {
namespace {

// One row to probabilities; -log p(target).
template<class Real>
BS_INLINE double rowLoss(Real* row, int n, std::int32_t target)
{
    const auto ofTarget = Wide<Real>(row[target]);
    const SoftmaxSums<Real> sums = softmax(row, n);
    const Wide<Real> distance = ofTarget - sums.largest;
    return std::log(static_cast<double>(sums.sum)) - static_cast<double>(distance);
}

} // namespace

template<class Real>
BS_VECTORIZED void crossEntropy(const CrossEntropy<Real>& op)
{
    double loss = 0;
    for (int r = 0; r < op.logits.rows; ++r)
        if (const std::int32_t target = op.targets.data()[r]; target >= 0)
            loss += rowLoss(op.logits.row(r), op.logits.columns, target);
    if (op.loss != nullptr)
        *op.loss += loss / op.share;
}

template<class Real>
BS_VECTORIZED void crossEntropyBackward(Matrix<Real> probabilities,
                                        std::span<const std::int32_t> targets, Wide<Real> scale)
{
    using W = Wide<Real>;
    for (int r = 0; r < probabilities.rows; ++r) {
        Real* row = probabilities.row(r);
        const std::int32_t target = targets.data()[r];
        if (target < 0) {
            std::fill_n(row, probabilities.columns, Real(0));
            continue;
        }
        const auto ofTarget = W(row[target]);
#pragma omp simd
        for (int c = 0; c < probabilities.columns; ++c)
            row[c] = Real(W(row[c]) * scale);
        if constexpr (kPlacesOfWide<Real> == 1)
            row[target] -= scale;
        else // rounded once
            row[target] = Real((ofTarget - W(1)) * scale);
    }
}

template void crossEntropy(const CrossEntropy<float>&);
template void crossEntropy(const CrossEntropy<double>&);
template void crossEntropy(const CrossEntropy<bfloat16>&);
template void crossEntropyBackward(Matrix<float>, std::span<const std::int32_t>, float);
template void crossEntropyBackward(Matrix<double>, std::span<const std::int32_t>, double);
template void crossEntropyBackward(Matrix<bfloat16>, std::span<const std::int32_t>, float);

} // namespace engine::cpu
