#include "engine/backend/cpu/operations.h"
#include "engine/backend/cpu/vectorized.h"

namespace engine::cpu {
namespace {

// Where the queries, keys and values of one head of one sample lie: (T, C / heads) each.
template<class Real>
struct Head
{
    Matrix<Real> query, key, value;

    Head(Matrix<Real> qkv, int sample, int head, int heads, int sequence)
    {
        const int width = qkv.columns / 3, size = width / heads;
        Real* first = qkv.row(sample * sequence) + head * size;
        query = {first, sequence, size, qkv.stride};
        key = {first + width, sequence, size, qkv.stride};
        value = {first + 2 * width, sequence, size, qkv.stride};
    }
};

template<class Real>
Matrix<Real> headOf(Matrix<Real> out, int sample, int head, int heads, int sequence)
{
    const int size = out.columns / heads;
    return {out.row(sample * sequence) + head * size, sequence, size, out.stride};
}

template<class Real>
Real scaleOf(int width, int heads)
{
    const int size = width / heads;
    return Real(1) / std::sqrt(Real(size));
}

// From dP and P: dS = P (dP - sum over columns of dP P), in place of dP.
template<class Real>
BS_VECTORIZED void softmaxBackward(Matrix<const Real> probabilities, Matrix<Real> gradient)
{
    for (int r = 0; r < gradient.rows; ++r) {
        const Real* p = probabilities.row(r);
        Real* d = gradient.row(r);
        const int n = gradient.columns;
        Real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < n; ++c)
            sum += d[c] * p[c];
#pragma omp simd
        for (int c = 0; c < n; ++c)
            d[c] = p[c] * (d[c] - sum);
    }
}

template<class Real>
void copy(Matrix<const Real> from, Matrix<Real> to)
{
    for (int r = 0; r < from.rows; ++r)
        std::copy_n(from.row(r), from.columns, to.row(r));
}

// The gradients of q, k and v of a head are made aside, and then take their place.
template<class Real>
void headBackward(const Head<Real>& head, Matrix<const Real> dOut, Matrix<const Real> scores,
                  Real* workspace)
{
    const int rows = head.query.rows, size = head.query.columns;
    const auto count = static_cast<std::ptrdiff_t>(rows) * size;
    const Matrix<Real> dScores(workspace, rows, rows);
    const Matrix<Real> dQuery(workspace + static_cast<std::ptrdiff_t>(rows) * rows, rows, size),
        dKey(dQuery.data + count, rows, size), dValue(dKey.data + count, rows, size);
    const Real scale = Real(1) / std::sqrt(Real(size));
    matmul(Matmul<Real>{.a = dOut, .b = head.value, .c = dScores, .transposeB = Transpose::Yes});
    matmul(Matmul<Real>{.a = scores, .b = dOut, .c = dValue, .transposeA = Transpose::Yes});
    softmaxBackward<Real>(scores, dScores);
    matmul(Matmul<Real>{.a = dScores, .b = head.key, .c = dQuery, .alpha = scale});
    matmul(Matmul<Real>{
        .a = dScores, .b = head.query, .c = dKey, .transposeA = Transpose::Yes, .alpha = scale});
    copy<Real>(dQuery, head.query);
    copy<Real>(dKey, head.key);
    copy<Real>(dValue, head.value);
}

} // namespace

template<class Real>
void attention(const Attention<Real>& op)
{
    const int sequence = op.qkv.rows / op.samples;
    const auto size = static_cast<std::ptrdiff_t>(sequence) * sequence;
    for (int i = 0; i < op.samples * op.heads; ++i) {
        const int sample = i / op.heads, head = i % op.heads;
        const Head<const Real> in(op.qkv, sample, head, op.heads, sequence);
        const Matrix<Real> scores(op.scores + i * size, sequence, sequence);
        matmul(Matmul<Real>{.a = in.query,
                            .b = in.key,
                            .c = scores,
                            .transposeB = Transpose::Yes,
                            .alpha = scaleOf<Real>(op.out.columns, op.heads)});
        causalSoftmax(scores);
        matmul(Matmul<Real>{
            .a = scores, .b = in.value, .c = headOf(op.out, sample, head, op.heads, sequence)});
    }
}

template<class Real>
void attentionBackward(const AttentionBackward<Real>& op)
{
    const int sequence = op.qkv.rows / op.samples;
    const auto size = static_cast<std::ptrdiff_t>(sequence) * sequence;
    for (int i = 0; i < op.samples * op.heads; ++i) {
        const int sample = i / op.heads, head = i % op.heads;
        headBackward(Head<Real>(op.qkv, sample, head, op.heads, sequence),
                     headOf(op.dOut, sample, head, op.heads, sequence),
                     Matrix<const Real>(op.scores + i * size, sequence, sequence), op.workspace);
    }
}

template void attention(const Attention<float>&);
template void attention(const Attention<double>&);
template void attentionBackward(const AttentionBackward<float>&);
template void attentionBackward(const AttentionBackward<double>&);

} // namespace engine::cpu
