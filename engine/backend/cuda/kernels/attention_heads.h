#pragma once

#include "engine/backend/cuda/kernels/flash.h"
#include "engine/backend/cuda/kernels/operations.h"

#include <cmath>

namespace engine::cuda {

// The addresses of the queries, keys, values and scores of one sample's heads.
template<class Real>
class SampleHeads
{
public:
    SampleHeads(const AttentionShape& shape, Matrix<const Real> qkv,
                const EarlierSlices<Real>& earlier, int sample)
        : m_shape(shape)
        , m_qkv(qkv)
        , m_earlier(earlier)
        , m_firstRow(sample * shape.sequence)
    { }

    int slice() const { return m_earlier.count(); }
    int columns() const { return (slice() + 1) * m_shape.sequence; }
    int group() const { return m_shape.heads / m_shape.keyHeads; } // query heads per key head
    int stride() const { return m_shape.slices * m_shape.sequence; }
    float scale() const { return 1.0F / std::sqrt(static_cast<float>(m_shape.headSize)); }

    // A group is the query heads that share a key head. Returns the columns of query head `member`
    // of the first group. The first columns of `all` must be those of the query heads.
    template<class Number>
    Matrix<Number> query(Matrix<Number> all, int member) const
    {
        return part(all, member * m_shape.headSize);
    }
    Matrix<const Real> query(int member) const { return query(m_qkv, member); }
    // Returns the keys of the first key head of a slice.
    Matrix<const Real> key(int slice) const { return part(qkvOf(slice), m_shape.width()); }
    Matrix<const Real> value(int slice) const
    {
        return part(qkvOf(slice), m_shape.width() + m_shape.keyWidth());
    }
    Matrix<float> keyGradient(int slice) const { return part(gradientsOf(slice), 0); }
    Matrix<float> valueGradient(int slice) const
    {
        return part(gradientsOf(slice), m_shape.keyWidth());
    }
    template<class Number>
    Matrix<Number> scores(Number* first, int member, int slice) const
    {
        return {first + static_cast<std::ptrdiff_t>(member) * scoresOfHead()
                    + static_cast<std::ptrdiff_t>(slice) * m_shape.sequence,
                m_shape.sequence, m_shape.sequence, stride()};
    }

    // Returns the rows of a slice, with the queries, keys and values of all heads.
    Matrix<const Real> all(int slice) const { return part(qkvOf(slice), 0); }
    FlashHeads<Real> tiles() const
    {
        FlashHeads<Real> heads{.shape = &m_shape, .slice = slice()};
        for (int s = 0; s <= slice(); ++s) {
            heads.qkv[s] = all(s).data;
            heads.qkvStride[s] = all(s).stride;
        }
        return heads;
    }

    // Distances in numbers from the data of one key head (and its group) to the data of the next.
    std::ptrdiff_t queryStep() const { return std::ptrdiff_t{group()} * m_shape.headSize; }
    std::ptrdiff_t keyStep() const { return m_shape.headSize; }
    std::ptrdiff_t scoreStep() const { return group() * scoresOfHead(); }

    ScoreRows<Real> rows(Real* first) const
    {
        return {.data = first,
                .rows = m_shape.heads * m_shape.sequence,
                .columns = columns(),
                .stride = stride(),
                .sequence = m_shape.sequence,
                .mask = m_shape.mask};
    }

private:
    std::ptrdiff_t scoresOfHead() const { return static_cast<std::ptrdiff_t>(m_shape.scores()); }
    template<class Number>
    Matrix<Number> part(Matrix<Number> all, int column) const
    {
        return {all.row(m_firstRow) + column, m_shape.sequence, m_shape.headSize, all.stride};
    }
    Matrix<const Real> qkvOf(int slice) const
    {
        if (slice == this->slice())
            return m_qkv;
        return {m_earlier.qkvOf(slice), m_qkv.rows, m_shape.qkvWidth()};
    }
    Matrix<float> gradientsOf(int slice) const
    {
        return {m_earlier.keyGradientsOf(slice), m_qkv.rows, 2 * m_shape.keyWidth()};
    }

    const AttentionShape& m_shape;
    Matrix<const Real> m_qkv;
    const EarlierSlices<Real>& m_earlier;
    int m_firstRow;
};

} // namespace engine::cuda
