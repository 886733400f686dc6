#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/softmax.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

template<class Real>
BS_INLINE const Real* tokenRow(const Real* table, std::int32_t token, int width)
{
    return table + static_cast<std::ptrdiff_t>(token) * width;
}

template<class Real>
BS_INLINE double rowLoss(const Real* row, int n, std::int32_t target)
{
    const SoftmaxSums<Real> sums = softmaxSums(row, n);
    const Wide<Real> distance = Wide<Real>(row[target]) - sums.largest;
    return std::log(static_cast<double>(sums.sum)) - static_cast<double>(distance);
}

} // namespace

template<class Real>
BS_VECTORIZED void embedding(std::span<const std::int32_t> tokens, const Real* tokenTable,
                             Matrix<const Real> positionTable, Matrix<Real> out)
{
    for (int r = 0; r < out.rows; ++r) {
        const Real* token = tokenRow(tokenTable, tokens.data()[r], out.columns);
        Real* row = out.row(r);
        if (positionTable.data == nullptr) {
            std::copy_n(token, out.columns, row);
            continue;
        }
        const Real* position = positionTable.row(r % positionTable.rows);
#pragma omp simd
        for (int c = 0; c < out.columns; ++c)
            row[c] = Real(Wide<Real>(token[c]) + Wide<Real>(position[c]));
    }
}

// Rows are added in order, so the sum for a repeated token is deterministic.
template<class Real>
BS_VECTORIZED void embeddingBackward(std::span<const std::int32_t> tokens, Matrix<const Real> dOut,
                                     Wide<Real>* dTokenTable, Matrix<Wide<Real>> dPositionTable)
{
    using W = Wide<Real>;
    for (int r = 0; r < dOut.rows; ++r) {
        const Real* d = dOut.row(r);
        W* token = dTokenTable + static_cast<std::ptrdiff_t>(tokens.data()[r]) * dOut.columns;
#pragma omp simd
        for (int c = 0; c < dOut.columns; ++c)
            token[c] += W(d[c]);
        if (dPositionTable.data == nullptr)
            continue;
        W* position = dPositionTable.row(r % dPositionTable.rows);
#pragma omp simd
        for (int c = 0; c < dOut.columns; ++c)
            position[c] += W(d[c]);
    }
}

template void embedding(std::span<const std::int32_t>, const float*, Matrix<const float>,
                        Matrix<float>);
template void embedding(std::span<const std::int32_t>, const double*, Matrix<const double>,
                        Matrix<double>);
template void embedding(std::span<const std::int32_t>, const bfloat16*, Matrix<const bfloat16>,
                        Matrix<bfloat16>);
template void embeddingBackward(std::span<const std::int32_t>, Matrix<const float>, float*,
                                Matrix<float>);
template void embeddingBackward(std::span<const std::int32_t>, Matrix<const double>, double*,
                                Matrix<double>);
template void embeddingBackward(std::span<const std::int32_t>, Matrix<const bfloat16>, float*,
                                Matrix<float>);

template<class Real>
BS_VECTORIZED void crossEntropy(const CrossEntropy<Real>& op)
{
    if (op.loss == nullptr)
        return;
    double loss = 0;
    for (int r = 0; r < op.logits.rows; ++r)
        if (const std::int32_t target = op.targets.data()[r]; target >= 0)
            loss += rowLoss(op.logits.row(r), op.logits.columns, target);
    *op.loss += loss / op.share;
}

// Results are rounded once to the storage type. At the target, p - 1 is computed before rounding,
// because p may be near 1.
template<class Real>
BS_VECTORIZED void crossEntropyBackward(Matrix<Real> logits, std::span<const std::int32_t> targets,
                                        Wide<Real> scale)
{
    using W = Wide<Real>;
    for (int r = 0; r < logits.rows; ++r) {
        Real* row = logits.row(r);
        const std::int32_t target = targets.data()[r];
        if (target < 0) {
            std::fill_n(row, logits.columns, Real(0));
            continue;
        }
        const SoftmaxSums<Real> sums = softmaxSums(row, logits.columns);
        const W inverse = W(1) / sums.sum, largest = sums.largest;
        const W ofTarget = exponential(W(row[target]) - largest) * inverse;
#pragma omp simd
        for (int c = 0; c < logits.columns; ++c)
            row[c] = Real(exponential(W(row[c]) - largest) * inverse * scale);
        row[target] = Real(ofTarget * scale - scale);
    }
}

template void crossEntropy(const CrossEntropy<float>&);
template void crossEntropy(const CrossEntropy<double>&);
template void crossEntropy(const CrossEntropy<bfloat16>&);
template void crossEntropyBackward(Matrix<float>, std::span<const std::int32_t>, float);
template void crossEntropyBackward(Matrix<double>, std::span<const std::int32_t>, double);
template void crossEntropyBackward(Matrix<bfloat16>, std::span<const std::int32_t>, float);

} // namespace engine::cpu
