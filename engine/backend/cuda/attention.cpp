#include "engine/backend/cuda/attention.h"

#include "engine/backend/cuda/flash.h"
#include "engine/backend/cuda/launch.h"
#include "engine/backend/cuda/operations.h"

#include <cmath>

namespace engine::cuda {
namespace {

// The heads of one sample: where their queries, keys, values and scores are.
template<class Real>
class SampleHeads
{
public:
    SampleHeads(const AttentionShape& shape, Matrix<Real> qkv, const EarlierSlices<float>& earlier,
                int sample)
        : m_shape(shape)
        , m_qkv(qkv)
        , m_earlier(earlier)
        , m_firstRow(sample * shape.sequence)
    { }

    int slice() const { return m_earlier.count(); }
    int columns() const { return (slice() + 1) * m_shape.sequence; }
    int group() const { return m_shape.heads / m_shape.keyHeads; } // heads of a key head
    int stride() const { return m_shape.slices * m_shape.sequence; }
    float scale() const { return 1.0F / std::sqrt(static_cast<float>(m_shape.headSize)); }

    // Of query `member` of the first group, in any matrix whose columns begin with the queries.
    template<class Number>
    Matrix<Number> query(Matrix<Number> all, int member) const
    {
        return part(all, member * m_shape.headSize);
    }
    Matrix<Real> query(int member) const { return query(m_qkv, member); }
    // Of the first key head of a slice.
    Matrix<Real> key(int slice) const { return part(qkvOf(slice), m_shape.width()); }
    Matrix<Real> value(int slice) const
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

    // The rows of a slice, of all heads.
    Matrix<Real> all(int slice) const { return part(qkvOf(slice), 0); }
    FlashHeads tiles() const
    {
        FlashHeads heads{.shape = &m_shape, .slice = slice()};
        for (int s = 0; s <= slice(); ++s) {
            heads.qkv[s] = all(s).data;
            heads.qkvStride[s] = all(s).stride;
        }
        return heads;
    }

    // From one key head to the next.
    std::ptrdiff_t queryStep() const { return std::ptrdiff_t{group()} * m_shape.headSize; }
    std::ptrdiff_t keyStep() const { return m_shape.headSize; }
    std::ptrdiff_t scoreStep() const { return group() * scoresOfHead(); }

    ScoreRows rows(float* first) const
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
    Matrix<Real> qkvOf(int slice) const
    {
        return slice == this->slice() ? m_qkv
                                      : Matrix<Real>(m_earlier.qkvOf(slice), m_qkv.rows,
                                                     m_shape.qkvWidth(), m_shape.qkvWidth());
    }
    Matrix<float> gradientsOf(int slice) const
    {
        return {m_earlier.keyGradientsOf(slice), m_qkv.rows, 2 * m_shape.keyWidth()};
    }

    const AttentionShape& m_shape;
    Matrix<Real> m_qkv;
    const EarlierSlices<float>& m_earlier;
    int m_firstRow;
};

using Heads = SampleHeads<const float>;

void checkShape(const AttentionShape& shape)
{
    CHECK(shape.heads % shape.keyHeads == 0 && shape.headsAtOnce == shape.heads);
    if (shape.kind != AttentionKind::Flash)
        return;
    if (shape.headSize > FlashHeads::kLargestHead || shape.slices > FlashHeads::kMostSlices)
        throw std::runtime_error("flash attention on a GPU takes heads of up to 128 numbers and up "
                                 "to 32 slices: use --attention recompute");
}

// Probabilities of all heads of the sample, (heads, sequence, slices x sequence).
void makeScores(const Lane& lane, Products& products, const AttentionShape& shape,
                const Heads& heads, float* scores)
{
    for (int member = 0; member < heads.group(); ++member)
        for (int slice = 0; slice <= heads.slice(); ++slice)
            products.multiply(lane,
                              {.first = {.a = heads.query(member),
                                         .b = heads.key(slice),
                                         .c = heads.scores(scores, member, slice),
                                         .transposeB = Transpose::Yes,
                                         .alpha = heads.scale()},
                               .count = shape.keyHeads,
                               .strideA = heads.queryStep(),
                               .strideB = heads.keyStep(),
                               .strideC = heads.scoreStep()});
    softmax(lane, heads.rows(scores));
}

// The gradients of one sample's heads, made in the workspace as its rows of qkv lie, and then put
// where those were.
class SampleBackward
{
public:
    SampleBackward(const Lane& lane, Products& products, const AttentionBackward<float>& op,
                   int sample)
        : m_lane(lane)
        , m_products(products)
        , m_op(op)
        , m_sample(sample)
        , m_heads(op.shape, op.qkv, op.earlier, sample)
        , m_d(op.workspace, op.shape.sequence, op.shape.qkvWidth())
        , m_dScores(op.workspace
                    + std::ptrdiff_t{3} * op.shape.heads * op.shape.sequence * op.shape.headSize)
    { }

    void run()
    {
        beginKeys();
        if (m_op.shape.kind == AttentionKind::Flash)
            tiles();
        else
            products();
        const Matrix<float> rows(m_op.qkv.row(m_sample * m_d.rows), m_d.rows, m_d.columns,
                                 m_op.qkv.stride);
        copy(m_d, rows);
    }

private:
    void products()
    {
        const float* scores = probabilities();
        for (int member = 0; member < m_heads.group(); ++member)
            for (int slice = 0; slice <= m_heads.slice(); ++slice)
                values(scores, member, slice);
        softmaxBackward(m_lane, m_heads.rows(const_cast<float*>(scores)), // which it reads
                        m_dScores);
        for (int member = 0; member < m_heads.group(); ++member)
            for (int slice = 0; slice <= m_heads.slice(); ++slice)
                queriesAndKeys(member, slice);
    }

    void tiles()
    {
        const AttentionShape& shape = m_op.shape;
        const auto row = m_sample * shape.sequence;
        const auto of = [&](const Matrix<const float>& all) {
            return Matrix<const float>(all.row(row), shape.sequence, shape.width(), all.stride);
        };
        FlashBackward op{.heads = m_heads.tiles(),
                         .out = of(m_op.out),
                         .dOut = of(m_op.dOut),
                         .logSums = m_op.kept.logSums + std::ptrdiff_t{row} * shape.heads,
                         .products = m_dScores,
                         .dQuery = {m_d.data, m_d.rows, shape.width(), m_d.stride},
                         .dKey = {},
                         .dValue = {}};
        for (int slice = 0; slice <= m_heads.slice(); ++slice) {
            op.dKey[slice] = keyTarget(slice);
            op.dValue[slice] = valueTarget(slice);
        }
        flashBackward(m_lane, op);
    }

    void copy(Matrix<const float> from, Matrix<float> to) const
    {
        constexpr auto kSize = sizeof(float);
        check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.stride) * kSize, from.data,
                                static_cast<std::size_t>(from.stride) * kSize,
                                static_cast<std::size_t>(from.columns) * kSize,
                                static_cast<std::size_t>(from.rows), cudaMemcpyDeviceToDevice,
                                m_lane.stream),
              "copy of gradients");
    }

    // From what later slices have added, or from nothing. Key and value gradients are neighbours.
    void beginKeys()
    {
        const AttentionShape& shape = m_op.shape;
        const Matrix<float> own(m_d.data + shape.width(), m_d.rows, 2 * shape.keyWidth(),
                                m_d.stride);
        if (m_op.keyGradients != nullptr) {
            const Matrix<const float> later(m_op.keyGradients, m_op.qkv.rows, own.columns);
            copy({later.row(m_sample * own.rows), own.rows, own.columns, later.stride}, own);
            return;
        }
        constexpr auto kSize = sizeof(float);
        check(cudaMemset2DAsync(own.data, static_cast<std::size_t>(own.stride) * kSize, 0,
                                static_cast<std::size_t>(own.columns) * kSize,
                                static_cast<std::size_t>(own.rows), m_lane.stream),
              "clearing of gradients");
    }

    const float* probabilities()
    {
        const AttentionShape& shape = m_op.shape;
        const auto ofSample = static_cast<std::ptrdiff_t>(shape.scores()) * shape.heads;
        if (shape.kind == AttentionKind::Standard)
            return m_op.kept.scores + m_sample * ofSample;
        float* scores = m_dScores + ofSample;
        makeScores(m_lane, m_products, shape, Heads(shape, m_op.qkv, m_op.earlier, m_sample),
                   scores);
        return scores;
    }

    Matrix<float> keyTarget(int slice) const
    {
        const AttentionShape& shape = m_op.shape;
        if (slice != m_heads.slice())
            return m_heads.keyGradient(slice);
        return {m_d.data + shape.width(), shape.sequence, shape.headSize, m_d.stride};
    }
    Matrix<float> valueTarget(int slice) const
    {
        const AttentionShape& shape = m_op.shape;
        if (slice != m_heads.slice())
            return m_heads.valueGradient(slice);
        return {m_d.data + shape.width() + shape.keyWidth(), shape.sequence, shape.headSize,
                m_d.stride};
    }

    // dP = dOut V^T, dV += P^T dOut.
    void values(const float* scores, int member, int slice)
    {
        const Matrix<const float> dOut = m_heads.query(m_op.dOut, member);
        m_products.multiply(m_lane,
                            {.first = {.a = dOut,
                                       .b = m_heads.value(slice),
                                       .c = m_heads.scores(m_dScores, member, slice),
                                       .transposeB = Transpose::Yes},
                             .count = m_op.shape.keyHeads,
                             .strideA = m_heads.queryStep(),
                             .strideB = m_heads.keyStep(),
                             .strideC = m_heads.scoreStep()});
        m_products.multiply(m_lane,
                            {.first = {.a = m_heads.scores(scores, member, slice),
                                       .b = dOut,
                                       .c = valueTarget(slice),
                                       .transposeA = Transpose::Yes,
                                       .beta = 1},
                             .count = m_op.shape.keyHeads,
                             .strideA = m_heads.scoreStep(),
                             .strideB = m_heads.queryStep(),
                             .strideC = m_heads.keyStep()});
    }

    // dQ = dS K, dK += dS^T Q.
    void queriesAndKeys(int member, int slice)
    {
        const Matrix<const float> dScores = m_heads.scores(m_dScores, member, slice);
        const int column = member * m_op.shape.headSize;
        m_products.multiply(
            m_lane,
            {.first = {.a = dScores,
                       .b = m_heads.key(slice),
                       .c = {m_d.data + column, m_d.rows, m_op.shape.headSize, m_d.stride},
                       .alpha = m_heads.scale(),
                       .beta = slice == 0 ? 0.0F : 1.0F},
             .count = m_op.shape.keyHeads,
             .strideA = m_heads.scoreStep(),
             .strideB = m_heads.keyStep(),
             .strideC = m_heads.queryStep()});
        m_products.multiply(m_lane,
                            {.first = {.a = dScores,
                                       .b = m_heads.query(member),
                                       .c = keyTarget(slice),
                                       .transposeA = Transpose::Yes,
                                       .alpha = m_heads.scale(),
                                       .beta = 1},
                             .count = m_op.shape.keyHeads,
                             .strideA = m_heads.scoreStep(),
                             .strideB = m_heads.queryStep(),
                             .strideC = m_heads.keyStep()});
    }

    const Lane& m_lane;
    Products& m_products;
    const AttentionBackward<float>& m_op;
    int m_sample;
    SampleHeads<float> m_heads;
    Matrix<float> m_d;
    float* m_dScores;
};

} // namespace

void attention(const Lane& lane, Products& products, const Attention<float>& op)
{
    const AttentionShape& shape = op.shape;
    checkShape(shape);
    const auto ofSample = static_cast<std::ptrdiff_t>(shape.scores()) * shape.heads;
    for (int sample = 0; sample < shape.samples; ++sample) {
        const Heads heads(shape, op.qkv, op.earlier, sample);
        const int row = sample * shape.sequence;
        if (shape.kind == AttentionKind::Flash) {
            flashForward(lane,
                         {.heads = heads.tiles(),
                          .out = {op.out.row(row), shape.sequence, shape.width(), op.out.stride},
                          .logSums = op.kept.logSums + std::ptrdiff_t{row} * shape.heads});
            continue;
        }
        float* scores = shape.kind == AttentionKind::Recompute ? op.workspace
                                                               : op.kept.scores + sample * ofSample;
        makeScores(lane, products, shape, heads, scores);
        for (int member = 0; member < heads.group(); ++member)
            for (int slice = 0; slice <= heads.slice(); ++slice)
                products.multiply(lane,
                                  {.first = {.a = heads.scores<const float>(scores, member, slice),
                                             .b = heads.value(slice),
                                             .c = heads.query(op.out, member),
                                             .beta = slice == 0 ? 0.0F : 1.0F},
                                   .count = shape.keyHeads,
                                   .strideA = heads.scoreStep(),
                                   .strideB = heads.keyStep(),
                                   .strideC = heads.queryStep()});
    }
}

void attentionBackward(const Lane& lane, Products& products, const AttentionBackward<float>& op)
{
    checkShape(op.shape);
    for (int sample = 0; sample < op.shape.samples; ++sample)
        SampleBackward(lane, products, op, sample).run();
}

} // namespace engine::cuda
