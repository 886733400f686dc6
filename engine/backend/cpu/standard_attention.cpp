#include "engine/backend/cpu/attention_head.h"
#include "engine/backend/cpu/softmax.h"

namespace engine::cpu {
namespace {

template<class Real>
Matrix<Real> columnsOf(Matrix<Real> scores, int slice)
{
    return {scores.data + static_cast<std::ptrdiff_t>(slice) * scores.rows, scores.rows,
            scores.rows, scores.stride};
}

// Applies the softmax in place to the first `seen` of `columns`; the other columns become 0.
template<class Real>
BS_VECTORIZED void softmaxRow(Real* row, int seen, int columns)
{
    softmax(row, seen);
    std::fill(row + seen, row + columns, Real(0));
}

// Replaces dP by dS = P (dP - sum over columns of dP P).
template<class Real>
BS_VECTORIZED void softmaxBackward(Matrix<const Real> probabilities, Matrix<Real> gradient,
                                   int columns)
{
    using W = Wide<Real>;
    for (int r = 0; r < gradient.rows; ++r) {
        const Real* p = probabilities.row(r);
        Real* d = gradient.row(r);
        W sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < columns; ++c)
            sum += W(d[c]) * W(p[c]);
#pragma omp simd
        for (int c = 0; c < columns; ++c)
            d[c] = Real(W(p[c]) * (W(d[c]) - sum));
    }
}

} // namespace

template<class Real>
void standardScores(const AttentionHead<const Real>& head, Matrix<Real> scores)
{
    for (int s = 0; s <= head.slice(); ++s)
        matmul(Matmul<Real>{.a = head.query(),
                            .b = head.key(s),
                            .c = columnsOf(scores, s),
                            .transposeB = Transpose::Yes,
                            .alpha = head.scale()});
    for (int r = 0; r < scores.rows; ++r)
        softmaxRow(scores.row(r), head.seen(r), head.columns());
}

template<class Real>
void standardHead(const AttentionHead<const Real>& head, Matrix<Real> scores, Matrix<Real> out)
{
    standardScores(head, scores);
    for (int s = 0; s <= head.slice(); ++s)
        matmul(Matmul<Real>{.a = columnsOf(scores, s),
                            .b = head.value(s),
                            .c = out,
                            .beta = s == 0 ? Wide<Real>(0) : Wide<Real>(1)});
}

template<class Real>
void standardHeadBackward(const AttentionHead<const Real>& head, Matrix<const Real> scores,
                          Matrix<const Real> dOut, const HeadGradients<Real>& d,
                          Matrix<Real> dScores)
{
    using IntoGradients = Matmul<Real, Wide<Real>>;
    const int own = head.slice();
    for (int s = 0; s <= own; ++s) {
        matmul(Matmul<Real>{.a = dOut,
                            .b = head.value(s),
                            .c = columnsOf(dScores, s),
                            .transposeB = Transpose::Yes});
        matmul(IntoGradients{.a = columnsOf(scores, s),
                             .b = dOut,
                             .c = s == own ? d.value : head.valueGradient(s),
                             .transposeA = Transpose::Yes,
                             .beta = 1});
    }
    softmaxBackward<Real>(scores, dScores, head.columns());
    for (int s = 0; s <= own; ++s) {
        matmul(IntoGradients{.a = columnsOf(dScores, s),
                             .b = head.key(s),
                             .c = d.query,
                             .alpha = head.scale(),
                             .beta = s == 0 ? Wide<Real>(0) : Wide<Real>(1)});
        matmul(IntoGradients{.a = columnsOf(dScores, s),
                             .b = head.query(),
                             .c = s == own ? d.key : head.keyGradient(s),
                             .transposeA = Transpose::Yes,
                             .alpha = head.scale(),
                             .beta = 1});
    }
}

template void standardScores(const AttentionHead<const float>&, Matrix<float>);
template void standardScores(const AttentionHead<const double>&, Matrix<double>);
template void standardScores(const AttentionHead<const bfloat16>&, Matrix<bfloat16>);
template void standardHead(const AttentionHead<const float>&, Matrix<float>, Matrix<float>);
template void standardHead(const AttentionHead<const double>&, Matrix<double>, Matrix<double>);
template void standardHead(const AttentionHead<const bfloat16>&, Matrix<bfloat16>,
                           Matrix<bfloat16>);
template void standardHeadBackward(const AttentionHead<const float>&, Matrix<const float>,
                                   Matrix<const float>, const HeadGradients<float>&, Matrix<float>);
template void standardHeadBackward(const AttentionHead<const double>&, Matrix<const double>,
                                   Matrix<const double>, const HeadGradients<double>&,
                                   Matrix<double>);
template void standardHeadBackward(const AttentionHead<const bfloat16>&, Matrix<const bfloat16>,
                                   Matrix<const bfloat16>, const HeadGradients<bfloat16>&,
                                   Matrix<bfloat16>);

} // namespace engine::cpu
