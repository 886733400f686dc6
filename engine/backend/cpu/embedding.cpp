#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

template<class Real>
BS_INLINE const Real* tokenRow(const Real* table, std::int32_t token, int width)
{
    return table + static_cast<std::ptrdiff_t>(token) * width;
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

} // namespace engine::cpu
