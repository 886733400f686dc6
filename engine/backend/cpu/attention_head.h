#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/cpu/operations.h"

#include <cmath>

namespace engine::cpu {

// `size` columns of one sample's rows.
template<class Real>
Matrix<Real> headColumns(Matrix<Real> all, int sample, int sequence, int firstColumn, int size)
{
    return {all.row(sample * sequence) + firstColumn, sequence, size, all.stride};
}

// One head of one sample: its queries, and slice by slice the keys and values they see; the last
// slice is its own. (sequence, headSize) each.
template<class Real>
class AttentionHead
{
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

    int slice() const { return m_earlier.count(); }                  // which this is
    int columns() const { return (slice() + 1) * m_shape.sequence; } // of scores that exist
    // How many of them query `row` sees.
    int seen(int row) const
    {
        return m_shape.mask == AttentionMask::Causal ? slice() * m_shape.sequence + row + 1
                                                     : columns();
    }
    std::remove_const_t<Real> scale() const
    {
        using Number = std::remove_const_t<Real>;
        return Number(1) / std::sqrt(Number(m_shape.headSize));
    }

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
    // Gradients of an earlier slice's keys and values, which add up.
    Matrix<std::remove_const_t<Real>> keyGradient(int slice) const
    {
        return part(gradientsOf(slice), m_keyHead * m_shape.headSize);
    }
    Matrix<std::remove_const_t<Real>> valueGradient(int slice) const
    {
        return part(gradientsOf(slice), m_shape.keyWidth() + m_keyHead * m_shape.headSize);
    }

private:
    template<class Number>
    Matrix<Number> part(Matrix<Number> all, int column) const
    {
        return headColumns(all, m_sample, m_shape.sequence, column, m_shape.headSize);
    }
    std::remove_const_t<Real>* arrayOf(int slice) const
    {
        return m_earlier.arrays[static_cast<std::size_t>(slice)].data();
    }
    Matrix<Real> qkvOf(int slice) const
    {
        return slice == this->slice() ? m_qkv
                                      : Matrix<Real>(arrayOf(slice) + m_earlier.qkv, m_qkv.rows,
                                                     m_qkv.columns, m_qkv.columns);
    }
    Matrix<std::remove_const_t<Real>> gradientsOf(int slice) const
    {
        return {arrayOf(slice) + m_earlier.keyGradients, m_qkv.rows, 2 * m_shape.keyWidth()};
    }

    const AttentionShape& m_shape;
    Matrix<Real> m_qkv;
    const EarlierSlices<std::remove_const_t<Real>>& m_earlier;
    int m_sample, m_head, m_keyHead;
};

// The gradients of one head: of its queries (overwritten), and of the keys and values of its own
// slice (added to). Those of earlier slices are at the head.
template<class Real>
struct HeadGradients
{
    Matrix<Real> query, key, value;
};

// Scores of a head, (sequence, slices x sequence): probabilities after softmax.
template<class Real>
void standardScores(const AttentionHead<const Real>& head, Matrix<Real> scores);
template<class Real>
void standardHead(const AttentionHead<const Real>& head, Matrix<Real> scores, Matrix<Real> out);
// `dScores` is workspace like the scores.
template<class Real>
void standardHeadBackward(const AttentionHead<const Real>& head, Matrix<const Real> scores,
                          Matrix<const Real> dOut, const HeadGradients<Real>& d, Real* dScores);

// logSums: a number a row.
template<class Real>
void flashHead(const AttentionHead<const Real>& head, Matrix<Real> out, Real* logSums,
               Real* workspace);
template<class Real>
struct FlashHeadBackward
{
    Matrix<const Real> out, dOut;
    const Real* logSums = nullptr;
    HeadGradients<Real> d;
    Real* workspace = nullptr;
};
template<class Real>
void flashHeadBackward(const AttentionHead<const Real>& head, const FlashHeadBackward<Real>& op);

} // namespace engine::cpu
