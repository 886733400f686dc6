#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/model/transformer_shape.h"

#include <vector>

namespace engine {

// The tensors of the head in memory order. Missing tensors are nullptr.
// - Final norm: gain and bias, (C) each.
// - BERT's transform: matrix, (C, C), and bias, (C); its norm: gain and bias, (C) each.
// - Decoder: matrix, (C, V), or (V, C) if tied; BERT and ViT also have a bias, (V).
template<class Real>
struct HeadWeights
{
    Real *gain, *bias; // no bias with RMSNorm
    Real *transform = nullptr, *transformBias = nullptr;
    Real *transformGain = nullptr, *transformNormBias = nullptr;
    Real *weight, *weightBias;

    HeadWeights(Real* first, const TransformerShape& shape)
        : gain(first)
        , bias(shape.biased ? gain + shape.width : nullptr)
        , weight(first + weightOffset(shape))
        , weightBias(shape.decoderBias ? weight + matrixCount(shape) : nullptr)
    {
        if (!shape.transformed)
            return;
        transform = first + normCount(shape);
        transformBias = transform + square(shape);
        transformGain = transformBias + shape.width;
        transformNormBias = transformGain + shape.width;
    }
    static std::size_t weightOffset(const TransformerShape& shape)
    {
        const std::size_t transform
            = shape.transformed ? square(shape) + std::size_t{3} * shape.width : 0;
        return normCount(shape) + transform;
    }
    static std::size_t count(const TransformerShape& shape)
    {
        const std::size_t bias = shape.decoderBias ? shape.vocabulary : 0;
        return weightOffset(shape) + matrixCount(shape) + bias;
    }

private:
    static std::size_t normCount(const TransformerShape& shape)
    {
        return std::size_t{shape.biased ? 2U : 1U} * shape.width;
    }
    static std::size_t square(const TransformerShape& shape)
    {
        return static_cast<std::size_t>(shape.width) * shape.width;
    }
    static std::size_t matrixCount(const TransformerShape& shape)
    {
        return static_cast<std::size_t>(shape.width) * shape.vocabulary;
    }
};

template<class Real>
struct HeadStash
{
    // Inputs of two matrix products, kept until W. `norm` is the input of the transform, (rows, C)
    // (nullptr without a transform), `decoded` the input of the decoder, (predictions, C).
    Real *norm = nullptr, *decoded;
    // Outputs of these products, kept until W: (rows, C) and TransformerShape::logitsOf(). Op I
    // overwrites them with their gradients.
    Real *transformed = nullptr, *logits;
    // The following are kept until I:
    // - for each norm: 1 / deviation and the mean, (rows) each; RMSNorm has no mean,
    // - the input of the transform's norm, (rows, C).
    Wide<Real>* inverse;
    Wide<Real>* mean = nullptr;
    Wide<Real>* transformInverse = nullptr;
    Wide<Real>* transformMean = nullptr;
    Real* activated = nullptr;

    // BlockStash explains `kept` and `rest`.
    HeadStash(Real* kept, Real* rest, const TransformerShape& shape)
        : decoded(kept)
        , logits(kept + shape.decoded())
        , inverse(reinterpret_cast<Wide<Real>*>(rest))
        , mean(shape.rmsNorm ? nullptr : inverse + shape.rows())
    {
        if (!shape.transformed)
            return;
        norm = logits + logitCount(shape);
        transformed = norm + shape.state();
        transformInverse = mean + shape.rows();
        transformMean = transformInverse + shape.rows();
        activated = reinterpret_cast<Real*>(transformMean + shape.rows());
    }
    static std::size_t keptCount(const TransformerShape& shape)
    {
        return wholePlaces<Real>(shape.decoded() + (shape.transformed ? 2 * shape.state() : 0)
                                 + logitCount(shape));
    }
    static std::size_t logitCount(const TransformerShape& shape)
    {
        return static_cast<std::size_t>(shape.predictions()) * shape.logitStride();
    }
    static std::size_t restCount(const TransformerShape& shape)
    {
        const std::size_t norms = shape.transformed ? 2 : 1;
        return norms * shape.times(shape.statistics())
            * kPlacesOfWide<Real> + (shape.transformed ? shape.state() : 0);
    }
};

// The head of a model: final norm, BERT's transform or a ViT's mean over the tokens, decoder and
// cross-entropy.
template<class Real>
class TransformerHead
{
public:
    // `kernels` must outlive the head.
    TransformerHead(const TransformerShape& shape, bool tied, const Kernels<Real>& kernels)
        : m_shape(shape)
        , m_tied(tied)
        , m_kernels(kernels)
        , m_ones(shape.patchValues > 0 ? shape.attention.sequence : 0, Real(1))
        , m_deviceOnes(kernels.constants(m_ones))
    { }
    // Not copyable, because the device may read m_ones in place.
    TransformerHead(const TransformerHead&) = delete;
    TransformerHead& operator=(const TransformerHead&) = delete;

    struct Pass
    {
        HeadWeights<const Real> weights;
        HeadStash<Real> stash;
        Matrix<Real> x; // op I overwrites x with its gradient
        std::span<const std::int32_t> targets;
        double* loss = nullptr; // as in CrossEntropy
        double share = 1;
        Real* workspace = nullptr; // forwardWorkspace() numbers
    };
    static std::size_t forwardWorkspace(const TransformerShape& shape)
    {
        return shape.patchValues > 0 ? shape.state() : 0;
    }
    void forward(const Pass& pass) const;

    struct Backward
    {
        HeadWeights<Wide<Real>> gradients;
        Wide<Real> lossScale = 1;
        Real* workspace = nullptr; // backwardWorkspace() numbers
    };
    static std::size_t backwardWorkspace(const TransformerShape& shape)
    {
        return shape.state() + (shape.patchValues > 0 ? shape.decoded() : 0);
    }
    void backwardInput(const Pass& pass, const Backward& backward) const;
    void backwardWeight(const HeadStash<const Real>& stash,
                        const HeadWeights<Wide<Real>>& gradients) const;

private:
    // Forward: from tokens to one row per sample; backward: the gradients in the other direction.
    void meanOverTokens(Matrix<const Real> from, Matrix<Real> to) const;
    template<class Number>
    Matrix<Number> decodedOf(Number* data) const
    {
        return {data, m_shape.predictions(), m_shape.width};
    }
    void transform(const Pass& pass) const;
    void transformBackward(const Pass& pass, const Backward& backward) const;
    Matrix<const Real> weightOf(const Real* data) const
    {
        return m_tied ? Matrix<const Real>(data, m_shape.vocabulary, m_shape.width)
                      : Matrix<const Real>(data, m_shape.width, m_shape.vocabulary);
    }

    TransformerShape m_shape;
    bool m_tied;
    const Kernels<Real>& m_kernels;
    std::vector<Real> m_ones; // of a Vit: one per token of a sample
    const Real* m_deviceOnes;
};

} // namespace engine
