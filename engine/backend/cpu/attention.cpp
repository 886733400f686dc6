#include "engine/backend/cpu/attention_head.h"

namespace engine::cpu {
namespace {

template<class Real>
void copyMatrix(Matrix<const Real> from, Matrix<Real> to)
{
    for (int r = 0; r < from.rows; ++r)
        std::copy_n(from.row(r), from.columns, to.row(r));
}

std::ptrdiff_t keptOfHead(const AttentionShape& shape)
{
    return static_cast<std::ptrdiff_t>(shape.kept()) / shape.samples / shape.heads;
}

template<class Real>
Matrix<Real> scoresAt(Real* first, const AttentionShape& shape)
{
    return {first, shape.sequence, shape.slices * shape.sequence};
}

// The gradients of the heads that share a key head, made in the workspace and then put where their
// queries, keys and values were.
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
            copyMatrix<Real>(m_d.query, of(head).query());
        }
        const AttentionHead<Real> own = of(m_keyHead * group);
        copyMatrix<Real>(m_d.key, own.key(own.slice()));
        copyMatrix<Real>(m_d.value, own.value(own.slice()));
    }

private:
    std::ptrdiff_t count() const
    {
        return static_cast<std::ptrdiff_t>(m_op.shape.sequence) * m_op.shape.headSize;
    }
    Matrix<Real> part(int which) const
    {
        return {m_op.workspace + which * count(), m_op.shape.sequence, m_op.shape.headSize};
    }
    AttentionHead<Real> of(int head) const
    {
        return {m_op.shape, m_op.qkv, m_op.earlier, m_sample, head};
    }

    // From what later slices have added, or from nothing.
    void begin()
    {
        const AttentionShape& shape = m_op.shape;
        if (m_op.keyGradients == nullptr) {
            std::fill_n(m_d.key.data, 2 * count(), Real(0));
            return;
        }
        const Matrix<const Real> later(m_op.keyGradients, m_op.qkv.rows, 2 * shape.keyWidth());
        const int column = m_keyHead * shape.headSize;
        copyMatrix<Real>(headColumns(later, m_sample, shape.sequence, column, shape.headSize),
                         m_d.key);
        copyMatrix<Real>(
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
        Real* kept = m_op.kept + (m_sample * shape.heads + head) * keptOfHead(shape);
        if (shape.kind == AttentionKind::Flash) {
            flashHeadBackward<Real>(
                in, {outputColumns(m_op.out), outputColumns(m_op.dOut), kept, m_d, m_workspace});
            return;
        }
        Real* dScores = m_workspace;
        if (shape.kind == AttentionKind::Recompute) {
            kept = m_workspace;
            dScores += shape.scores();
            standardScores<Real>(in, scoresAt(kept, shape));
        }
        standardHeadBackward<Real>(in, scoresAt<const Real>(kept, shape), outputColumns(m_op.dOut),
                                   m_d, dScores);
    }

    const AttentionBackward<Real>& m_op;
    int m_sample, m_keyHead;
    HeadGradients<Real> m_d;
    Real* m_workspace;
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
        Real* kept = op.kept + i * keptOfHead(shape);
        if (shape.kind == AttentionKind::Flash)
            flashHead<Real>(in, out, kept, op.workspace);
        else
            standardHead<Real>(
                in, scoresAt(shape.kind == AttentionKind::Recompute ? op.workspace : kept, shape),
                out);
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
template void attentionBackward(const AttentionBackward<float>&);
template void attentionBackward(const AttentionBackward<double>&);

} // namespace engine::cpu
