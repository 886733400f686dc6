#include "engine/backend/cuda/kernels/flash.h"
#include "engine/backend/cuda/kernels/launch.h"
#include "engine/backend/cuda/kernels/operations.h"
#include "engine/backend/cuda/runtime/kernels.h"
#include "engine/backend/cuda/runtime/tensor_attention.h"

#include <cmath>

namespace engine::cuda {
namespace {

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

void checkShape(const AttentionShape& shape)
{
    CHECK(shape.heads % shape.keyHeads == 0 && shape.headsAtOnce >= shape.heads);
    if (shape.kind != AttentionKind::Flash)
        return;
    if (shape.headSize > kLargestFlashHead || shape.slices > kMostFlashSlices)
        throw std::runtime_error("flash attention on a GPU supports head sizes up to 128 and "
                                 "up to 32 slices: use --attention recompute");
}

// Computes the probabilities of all heads of a sample, (heads, sequence, slices x sequence).
template<class Real>
void makeScores(const OpStream& opStream, Products& products, const AttentionShape& shape,
                const SampleHeads<Real>& heads, Real* scores)
{
    for (int member = 0; member < heads.group(); ++member)
        for (int slice = 0; slice <= heads.slice(); ++slice)
            products.multiply(
                opStream,
                BatchedMatmul<Real>{.first = {.a = heads.query(member),
                                              .b = heads.key(slice),
                                              .c = heads.scores(scores, member, slice),
                                              .transposeB = Transpose::Yes,
                                              .alpha = heads.scale()},
                                    .count = shape.keyHeads,
                                    .strideA = heads.queryStep(),
                                    .strideB = heads.keyStep(),
                                    .strideC = heads.scoreStep()});
    softmax(opStream, heads.rows(scores));
}

// Computes the gradients of one sample's heads in the workspace, in the layout of the qkv rows,
// then copies them over these rows.
template<class Real>
class SampleBackward
{
public:
    SampleBackward(const OpStream& opStream, Products& products, const AttentionBackward<Real>& op,
                   int sample)
        : m_opStream(opStream)
        , m_products(products)
        , m_op(op)
        , m_sample(sample)
        , m_heads(op.shape, op.qkv, op.earlier, sample)
        , m_d(op.workspace, op.shape.sequence, op.shape.qkvWidth())
        , m_rest(op.workspace
                 + std::ptrdiff_t{3} * op.shape.heads * op.shape.sequence * op.shape.headSize)
        , m_dScores(reinterpret_cast<Real*>(m_rest))
    { }

    void run()
    {
        beginKeys();
        if (m_op.shape.kind == AttentionKind::Flash)
            tiles();
        else
            products();
        const Matrix<Real> rows(m_op.qkv.row(m_sample * m_d.rows), m_d.rows, m_d.columns,
                                m_op.qkv.stride);
        roundRows<Real>(m_opStream, m_d, rows);
    }

private:
    void products()
    {
        Real* scores = probabilities();
        for (int member = 0; member < m_heads.group(); ++member)
            for (int slice = 0; slice <= m_heads.slice(); ++slice)
                values(scores, member, slice);
        softmaxBackward(m_opStream, m_heads.rows(scores), m_dScores);
        for (int member = 0; member < m_heads.group(); ++member)
            for (int slice = 0; slice <= m_heads.slice(); ++slice)
                queriesAndKeys(member, slice);
    }

    void tiles()
    {
        const AttentionShape& shape = m_op.shape;
        const auto row = m_sample * shape.sequence;
        const auto of = [&](const Matrix<const Real>& all) {
            return Matrix<const Real>(all.row(row), shape.sequence, shape.width(), all.stride);
        };
        FlashBackward<Real> op{.heads = m_heads.tiles(),
                               .out = of(m_op.out),
                               .dOut = of(m_op.dOut),
                               .logSums = m_op.kept.logSums + std::ptrdiff_t{row} * shape.heads,
                               .products = m_rest,
                               .dQuery = {m_d.data, m_d.rows, shape.width(), m_d.stride},
                               .dKey = {},
                               .dValue = {}};
        for (int slice = 0; slice <= m_heads.slice(); ++slice) {
            op.dKey[slice] = keyTarget(slice);
            op.dValue[slice] = valueTarget(slice);
        }
        flashBackward(m_opStream, op);
    }

    void copy(Matrix<const float> from, Matrix<float> to) const
    {
        constexpr auto kSize = sizeof(float);
        check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.stride) * kSize, from.data,
                                static_cast<std::size_t>(from.stride) * kSize,
                                static_cast<std::size_t>(from.columns) * kSize,
                                static_cast<std::size_t>(from.rows), cudaMemcpyDeviceToDevice,
                                m_opStream.stream),
              "cudaMemcpy2DAsync");
    }

    // Initializes the gradients of keys and values, which are adjacent, with the contributions of
    // later slices, or with zero.
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
                                static_cast<std::size_t>(own.rows), m_opStream.stream),
              "cudaMemset2DAsync");
    }

    Real* probabilities()
    {
        const AttentionShape& shape = m_op.shape;
        const auto ofSample = static_cast<std::ptrdiff_t>(shape.scores()) * shape.heads;
        if (shape.kind == AttentionKind::Standard)
            return m_op.kept.scores + m_sample * ofSample;
        const std::size_t ofHead = inWide<Real>(shape.scores());
        auto* scores = reinterpret_cast<Real*>(
            m_rest + static_cast<std::size_t>(shape.headsAtOnce) * ofHead);
        makeScores(m_opStream, m_products, shape,
                   SampleHeads<Real>(shape, m_op.qkv, m_op.earlier, m_sample), scores);
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
    void values(const Real* scores, int member, int slice)
    {
        const Matrix<const Real> dOut = m_heads.query(m_op.dOut, member);
        m_products.multiply(
            m_opStream,
            BatchedMatmul<Real>{.first = {.a = dOut,
                                          .b = m_heads.value(slice),
                                          .c = m_heads.scores(m_dScores, member, slice),
                                          .transposeB = Transpose::Yes},
                                .count = m_op.shape.keyHeads,
                                .strideA = m_heads.queryStep(),
                                .strideB = m_heads.keyStep(),
                                .strideC = m_heads.scoreStep()});
        m_products.multiply(
            m_opStream,
            BatchedMatmul<Real, float>{.first = {.a = m_heads.scores(scores, member, slice),
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
        const Matrix<const Real> dScores = m_heads.scores(m_dScores, member, slice);
        const int column = member * m_op.shape.headSize;
        m_products.multiply(
            m_opStream,
            BatchedMatmul<Real, float>{
                .first = {.a = dScores,
                          .b = m_heads.key(slice),
                          .c = {m_d.data + column, m_d.rows, m_op.shape.headSize, m_d.stride},
                          .alpha = m_heads.scale(),
                          .beta = slice == 0 ? 0.0F : 1.0F},
                .count = m_op.shape.keyHeads,
                .strideA = m_heads.scoreStep(),
                .strideB = m_heads.keyStep(),
                .strideC = m_heads.queryStep()});
        m_products.multiply(m_opStream,
                            BatchedMatmul<Real, float>{.first = {.a = dScores,
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

    const OpStream& m_opStream;
    Products& m_products;
    const AttentionBackward<Real>& m_op;
    int m_sample;
    SampleHeads<Real> m_heads;
    Matrix<float> m_d;
    float* m_rest; // the workspace after the gradients
    Real* m_dScores;
};

} // namespace

template<class Real>
void attention(const OpStream& opStream, Products& products, const Attention<Real>& op)
{
    if (tensorAttention(opStream, op))
        return;
    const AttentionShape& shape = op.shape;
    checkShape(shape);
    const auto ofSample = static_cast<std::ptrdiff_t>(shape.scores()) * shape.heads;
    for (int sample = 0; sample < shape.samples; ++sample) {
        const SampleHeads<Real> heads(shape, op.qkv, op.earlier, sample);
        const int row = sample * shape.sequence;
        if (shape.kind == AttentionKind::Flash) {
            flashForward<Real>(
                opStream,
                {.heads = heads.tiles(),
                 .out = {op.out.row(row), shape.sequence, shape.width(), op.out.stride},
                 .logSums = op.kept.logSums + std::ptrdiff_t{row} * shape.heads});
            continue;
        }
        Real* scores = shape.kind == AttentionKind::Recompute
            ? reinterpret_cast<Real*>(op.workspace)
            : op.kept.scores + sample * ofSample;
        makeScores(opStream, products, shape, heads, scores);
        for (int member = 0; member < heads.group(); ++member)
            for (int slice = 0; slice <= heads.slice(); ++slice)
                products.multiply(
                    opStream,
                    BatchedMatmul<Real>{
                        .first = {.a = heads.template scores<const Real>(scores, member, slice),
                                  .b = heads.value(slice),
                                  .c = heads.query(op.out, member),
                                  .beta = slice == 0 ? 0.0F : 1.0F},
                        .count = shape.keyHeads,
                        .strideA = heads.scoreStep(),
                        .strideB = heads.keyStep(),
                        .strideC = heads.queryStep()});
    }
}

template<class Real>
void attentionBackward(const OpStream& opStream, Products& products,
                       const AttentionBackward<Real>& op)
{
    if (tensorAttentionBackward(opStream, op))
        return;
    checkShape(op.shape);
    for (int sample = 0; sample < op.shape.samples; ++sample)
        SampleBackward<Real>(opStream, products, op, sample).run();
}

template void attention(const OpStream&, Products&, const Attention<float>&);
template void attention(const OpStream&, Products&, const Attention<bfloat16>&);
template void attentionBackward(const OpStream&, Products&, const AttentionBackward<float>&);
template void attentionBackward(const OpStream&, Products&, const AttentionBackward<bfloat16>&);

} // namespace engine::cuda
