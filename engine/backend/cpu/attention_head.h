#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/cpu/operations.h"

#include <cmath>

namespace engine::cpu {

template<class Real>
Matrix<Real> headColumns(Matrix<Real> all, int sample, int sequence, int firstColumn, int size)
{
    return {all.row(sample * sequence) + firstColumn, sequence, size, all.stride};
}

// One head of one sample: the queries of a slice, and the keys and values of the slices that these
// queries attend to, the slice itself last. Each matrix is (sequence, headSize).
template<class Real>
class AttentionHead
{
    using Number = Wide<std::remove_const_t<Real>>;

public:
    AttentionHead(const AttentionShape& shape, Matrix<Real> qkv,
                  const EarlierSlices<std::remove_const_t<Real>>& earlier, int sample, int head)
        : m_shape(shape)
        , m_qkv(qkv)
        , m_earlier(earlier)
        , m_sample(sample)
        , m_head(head)
        , m_keyHead(head / (shape.heads / shape.keyHeads))
    { }

    int slice() const { return m_earlier.count(); } // index of the head's own slice
    int columns() const { return (slice() + 1) * m_shape.sequence; } // number of score columns
    int seen(int row) const
    {
        return m_shape.mask == AttentionMask::Causal ? slice() * m_shape.sequence + row + 1
                                                     : columns();
    }
    Number scale() const { return Number(1) / std::sqrt(Number(m_shape.headSize)); }

    Matrix<Real> query() const { return part(m_qkv, m_head * m_shape.headSize); }
    Matrix<Real> key(int slice) const
    {
        return part(qkvOf(slice), m_shape.width() + m_keyHead * m_shape.headSize);
    }
    Matrix<Real> value(int slice) const
    {
        return part(qkvOf(slice),
                    m_shape.width() + m_shape.keyWidth() + m_keyHead * m_shape.headSize);
    }
    // Return the accumulated gradients of the keys and values of an earlier slice.
    Matrix<Number> keyGradient(int slice) const
    {
        return part(gradientsOf(slice), m_keyHead * m_shape.headSize);
    }
    Matrix<Number> valueGradient(int slice) const
    {
        return part(gradientsOf(slice), m_shape.keyWidth() + m_keyHead * m_shape.headSize);
    }

private:
    template<class Any>
    Matrix<Any> part(Matrix<Any> all, int column) const
    {
        return headColumns(all, m_sample, m_shape.sequence, column, m_shape.headSize);
    }
    Matrix<Real> qkvOf(int slice) const
    {
        return slice == this->slice()
            ? m_qkv
            : Matrix<Real>(m_earlier.qkvOf(slice), m_qkv.rows, m_qkv.columns, m_qkv.columns);
    }
    Matrix<Number> gradientsOf(int slice) const
    {
        return {m_earlier.keyGradientsOf(slice), m_qkv.rows, 2 * m_shape.keyWidth()};
    }

    const AttentionShape& m_shape;
    Matrix<Real> m_qkv;
    const EarlierSlices<std::remove_const_t<Real>>& m_earlier;
    int m_sample, m_head, m_keyHead;
};

// The gradients of one head in its own slice. Query gradients are overwritten; key and value
// gradients are accumulated. AttentionHead has the gradients in earlier slices.
template<class Real>
struct HeadGradients
{
    Matrix<Wide<Real>> query, key, value;
};

// Writes the scores of a head after the softmax, (sequence, slices x sequence).
template<class Real>
void standardScores(const AttentionHead<const Real>& head, Matrix<Real> scores);
template<class Real>
void standardHead(const AttentionHead<const Real>& head, Matrix<Real> scores, Matrix<Real> out);
// `dScores` is workspace with the size of the scores.
template<class Real>
void standardHeadBackward(const AttentionHead<const Real>& head, Matrix<const Real> scores,
                          Matrix<const Real> dOut, const HeadGradients<Real>& d,
                          Matrix<Real> dScores);

// `logSums` receives one number per row.
template<class Real>
void flashHead(const AttentionHead<const Real>& head, Matrix<Real> out, Wide<Real>* logSums,
               Wide<Real>* workspace);
template<class Real>
struct FlashHeadBackward
{
    Matrix<const Real> out, dOut;
    const Wide<Real>* logSums = nullptr;
    HeadGradients<Real> d;
    Wide<Real>* workspace = nullptr;
};
template<class Real>
void flashHeadBackward(const AttentionHead<const Real>& head, const FlashHeadBackward<Real>& op);

} // namespace engine::cpu
