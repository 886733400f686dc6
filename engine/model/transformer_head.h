#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/model/transformer_shape.h"

namespace engine {

// The head's tensors: (C), (C), and (C, V), or tied, like the embedding's, (V, C).
template<class Real>
struct HeadWeights
{
    Real *gain, *bias, *weight; // no bias with RMSNorm

    HeadWeights(Real* first, const TransformerShape& shape)
        : gain(first)
        , bias(shape.biased ? gain + shape.width : nullptr)
        , weight(first + weightOffset(shape))
    { }
    static std::size_t weightOffset(const TransformerShape& shape)
    {
        return static_cast<std::size_t>(shape.width) * (shape.biased ? 2 : 1);
    }
};

template<class Real>
struct HeadStash
{
    Real* norm;           // (rows, C), until W
    Real* logits;         // (rows, V), until W: probabilities after F, after I the logits' gradient
    Real *inverse, *mean; // (rows), until I; no mean with RMSNorm

    HeadStash(Real* kept, Real* rest, const TransformerShape& shape)
        : norm(kept)
        , logits(kept + shape.state())
        , inverse(rest)
        , mean(shape.rmsNorm ? nullptr : rest + shape.rows())
    { }
    static std::size_t keptCount(const TransformerShape& shape)
    {
        return shape.state() + shape.times(shape.vocabulary);
    }
    static std::size_t restCount(const TransformerShape& shape)
    {
        return shape.times(shape.statistics());
    }
};

// Final norm, head and cross-entropy.
template<class Real>
class TransformerHead
{
public:
    // `kernels` must outlive the head.
    TransformerHead(const TransformerShape& shape, bool tied, const Kernels<Real>& kernels)
        : m_shape(shape)
        , m_tied(tied)
        , m_kernels(kernels)
    { }

    struct Pass
    {
        HeadWeights<const Real> weights;
        HeadStash<Real> stash;
        Matrix<Real> x; // I: its gradient takes its place
        std::span<const std::int32_t> targets;
    };
    double forward(const Pass& pass) const; // the sum over predicted tokens, in nats

    struct Backward
    {
        HeadWeights<Real> gradients;
        Real lossScale = 1;
        Real* workspace = nullptr; // (rows, C)
    };
    void backwardInput(const Pass& pass, const Backward& backward) const;
    void backwardWeight(const HeadStash<const Real>& stash,
                        const HeadWeights<Real>& gradients) const;

private:
    Matrix<const Real> weightOf(const Real* data) const
    {
        return m_tied ? Matrix<const Real>(data, m_shape.vocabulary, m_shape.width)
                      : Matrix<const Real>(data, m_shape.width, m_shape.vocabulary);
    }

    TransformerShape m_shape;
    bool m_tied;
    const Kernels<Real>& m_kernels;
};

} // namespace engine
