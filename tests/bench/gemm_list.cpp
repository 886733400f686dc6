#include "tests/bench/gemm_list.h"

#include "engine/backend/cpu/attention_head.h"

namespace bench {

using namespace engine;

namespace {

Matrix<float> scoresOf(float* kept, const AttentionShape& shape, int head)
{
    return {kept + static_cast<std::ptrdiff_t>(head) * shape.sequence * shape.sequence,
            shape.sequence, shape.sequence};
}

} // namespace

void GemmList::attention(const Attention<float>& op)
{
    const AttentionShape& shape = op.shape;
    for (int i = 0; i < shape.samples * shape.heads; ++i) {
        const int sample = i / shape.heads, head = i % shape.heads;
        const cpu::AttentionHead<const float> in(shape, op.qkv, op.earlier, sample, head);
        const Matrix<float> scores = scoresOf(op.kept.scores, shape, i);
        add({.a = in.query(), .b = in.key(0), .c = scores, .transposeB = Transpose::Yes});
        add({.a = scores,
             .b = in.value(0),
             .c = cpu::headColumns(op.out, sample, shape.sequence, head * shape.headSize,
                                   shape.headSize)});
    }
}

void GemmList::attentionBackward(const AttentionBackward<float>& op)
{
    const AttentionShape& shape = op.shape;
    const auto part = [&](int which) {
        return Matrix<float>(
            op.workspace + static_cast<std::ptrdiff_t>(which) * shape.sequence * shape.headSize,
            shape.sequence, shape.headSize);
    };
    const Matrix<float> dScores(part(3).data, shape.sequence, shape.sequence);
    for (int i = 0; i < shape.samples * shape.heads; ++i) {
        const int sample = i / shape.heads, head = i % shape.heads;
        const cpu::AttentionHead<const float> in(shape, op.qkv, op.earlier, sample, head);
        const Matrix<const float> scores = scoresOf(op.kept.scores, shape, i);
        const Matrix<const float> dOut = cpu::headColumns(op.dOut, sample, shape.sequence,
                                                          head * shape.headSize, shape.headSize);
        const auto transposed = [&](Matrix<const float> a, Matrix<const float> b, Matrix<float> c) {
            add({.a = a, .b = b, .c = c, .transposeA = Transpose::Yes, .beta = 1});
        };
        add({.a = dOut, .b = in.value(0), .c = dScores, .transposeB = Transpose::Yes});
        transposed(scores, dOut, part(2));
        add({.a = dScores, .b = in.key(0), .c = part(0)});
        transposed(dScores, in.query(), part(1));
    }
}

double GemmList::flops() const
{
    double flops = 0;
    for (const Matmul<float>& op : m_all) {
        const int inner = op.transposeA == Transpose::Yes ? op.a.rows : op.a.columns;
        flops += 2.0 * op.c.rows * op.c.columns * inner;
    }
    return flops;
}

} // namespace bench
