#include "engine/backend/cpu/attention_head.h"

namespace engine::cpu {
namespace {

template<class From, class To>
void copyMatrix(Matrix<From> from, Matrix<To> to)
{
    for (int r = 0; r < from.rows; ++r)
        std::transform(from.row(r), from.row(r) + from.columns, to.row(r),
                       [](From x) { return static_cast<To>(x); });
}

template<class Real>
Matrix<Real> scoresAt(Real* first, const AttentionShape& shape)
{
    return {first, shape.sequence, shape.slices * shape.sequence};
}

// In `kept` if the attention kind keeps scores, otherwise in the workspace. Heads are counted over
// all samples.
template<class Real>
Matrix<Real> scoresOf(const KeptAttention<Real>& kept, const AttentionShape& shape, int index,
                      Wide<Real>* workspace)
{
    if (shape.kind == AttentionKind::Recompute)
        return scoresAt(reinterpret_cast<Real*>(workspace), shape);
    return scoresAt(kept.scores + index * static_cast<std::ptrdiff_t>(shape.scores()), shape);
}

template<class Real>
Wide<Real>* logSumsOf(const KeptAttention<Real>& kept, const AttentionShape& shape, int index)
{
    return kept.logSums + static_cast<std::ptrdiff_t>(index) * shape.sequence;
}

// Uses the workspace to compute the gradients of the heads that share a key head, then copies them
// over the queries, keys and values.
template<class Real>
class KeyHeadBackward
{
public:
    KeyHeadBackward(const AttentionBackward<Real>& op, int sample, int keyHead)
        : m_op(op)
        , m_sample(sample)
        , m_keyHead(keyHead)
        , m_d{part(0), part(1), part(2)}
        , m_workspace(m_d.value.data + count())
    { }

    void run()
    {
        begin();
        const int group = m_op.shape.heads / m_op.shape.keyHeads;
        for (int head = m_keyHead * group; head < (m_keyHead + 1) * group; ++head) {
            one(head);
            copyMatrix(m_d.query, of(head).query());
        }
        const AttentionHead<Real> own = of(m_keyHead * group);
        copyMatrix(m_d.key, own.key(own.slice()));
        copyMatrix(m_d.value, own.value(own.slice()));
    }

private:
    std::ptrdiff_t count() const
    {
        return static_cast<std::ptrdiff_t>(m_op.shape.sequence) * m_op.shape.headSize;
    }
    Matrix<Wide<Real>> part(int which) const
    {
        return {m_op.workspace + which * count(), m_op.shape.sequence, m_op.shape.headSize};
    }
    AttentionHead<Real> of(int head) const
    {
        return {m_op.shape, m_op.qkv, m_op.earlier, m_sample, head};
    }

    // Initializes the key gradients with the contributions of later slices, or with zero.
    void begin()
    {
        const AttentionShape& shape = m_op.shape;
        if (m_op.keyGradients == nullptr) {
            std::fill_n(m_d.key.data, 2 * count(), Wide<Real>(0));
            return;
        }
        const Matrix<const Wide<Real>> later(m_op.keyGradients, m_op.qkv.rows,
                                             2 * shape.keyWidth());
        const int column = m_keyHead * shape.headSize;
        copyMatrix(headColumns(later, m_sample, shape.sequence, column, shape.headSize), m_d.key);
        copyMatrix(
            headColumns(later, m_sample, shape.sequence, shape.keyWidth() + column, shape.headSize),
            m_d.value);
    }

    void one(int head)
    {
        const AttentionShape& shape = m_op.shape;
        const AttentionHead<const Real> in(shape, m_op.qkv, m_op.earlier, m_sample, head);
        const auto outputColumns = [&](Matrix<const Real> all) {
            return headColumns(all, m_sample, shape.sequence, head * shape.headSize,
                               shape.headSize);
        };
        const int index = m_sample * shape.heads + head;
        if (shape.kind == AttentionKind::Flash) {
            flashHeadBackward<Real>(in,
                                    {outputColumns(m_op.out), outputColumns(m_op.dOut),
                                     logSumsOf(m_op.kept, shape, index), m_d, m_workspace});
            return;
        }
        const Matrix<Real> scores = scoresOf(m_op.kept, shape, index, m_workspace);
        Wide<Real>* dScores = m_workspace;
        if (shape.kind == AttentionKind::Recompute) {
            dScores += inWide<Real>(shape.scores());
            standardScores<Real>(in, scores);
        }
        standardHeadBackward<Real>(in, scores, outputColumns(m_op.dOut), m_d,
                                   scoresAt(reinterpret_cast<Real*>(dScores), shape));
    }

    const AttentionBackward<Real>& m_op;
    int m_sample, m_keyHead;
    HeadGradients<Real> m_d;
    Wide<Real>* m_workspace;
};

} // namespace

template<class Real>
void attention(const Attention<Real>& op)
{
    const AttentionShape& shape = op.shape;
    for (int i = 0; i < shape.samples * shape.heads; ++i) {
        const int sample = i / shape.heads, head = i % shape.heads;
        const AttentionHead<const Real> in(shape, op.qkv, op.earlier, sample, head);
        const auto out
            = headColumns(op.out, sample, shape.sequence, head * shape.headSize, shape.headSize);
        if (shape.kind == AttentionKind::Flash)
            flashHead<Real>(in, out, logSumsOf(op.kept, shape, i), op.workspace);
        else
            standardHead<Real>(in, scoresOf(op.kept, shape, i, op.workspace), out);
    }
}

template<class Real>
void attentionBackward(const AttentionBackward<Real>& op)
{
    for (int sample = 0; sample < op.shape.samples; ++sample)
        for (int keyHead = 0; keyHead < op.shape.keyHeads; ++keyHead)
            KeyHeadBackward<Real>(op, sample, keyHead).run();
}

template void attention(const Attention<float>&);
template void attention(const Attention<double>&);
template void attention(const Attention<bfloat16>&);
template void attentionBackward(const AttentionBackward<float>&);
template void attentionBackward(const AttentionBackward<double>&);
template void attentionBackward(const AttentionBackward<bfloat16>&);

} // namespace engine::cpu
