#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/model_spec.h"

namespace engine {

// Sizes of one pass over one micro-batch, or over one of `slices` slices of its samples.
struct TransformerShape
{
    explicit TransformerShape(const ModelSpec& model, int slices = 1);

    AttentionShape attention;
    int width = 0, expanded = 0, inner = 0; // expanded: output of the first MLP matrix
    int vocabulary = 0, positions = 0;      // learned positions; 0: rotary positions
    bool rmsNorm = false, biased = true;    // otherwise layer norm
    bool gated = false;                     // SwiGLU, otherwise GELU
    bool transformed = false;               // head with dense layer, GELU, norm and bias (BERT)

    int rows() const { return attention.samples * attention.sequence; }
    std::size_t times(int columns) const { return static_cast<std::size_t>(rows()) * columns; }
    // Of the residual stream, which stages pass to one another.
    std::size_t state() const { return times(width); }
    // Statistics per row of a norm: 1 / deviation, and the mean for layer norm.
    int statistics() const { return rmsNorm ? 1 : 2; }

    template<class Real>
    Matrix<Real> matrix(Real* data, int columns) const
    {
        return {data, rows(), columns};
    }
    template<class Real>
    Matrix<Real> stateOf(Real* data) const
    {
        return matrix(data, width);
    }
    // Row stride of (rows, vocabulary). Padded, because tensor cores need aligned rows; the
    // padding is never read.
    int logitStride() const { return (vocabulary + kLogits - 1) / kLogits * kLogits; }
    template<class Real>
    Matrix<Real> logitsOf(Real* data) const
    {
        return {data, rows(), vocabulary, logitStride()};
    }

private:
    static constexpr int kLogits = 64;
};

// Multiplications and additions per token in the matrices of one block, and of the head.
double blockFlops(const TransformerShape& shape);
double headFlops(const TransformerShape& shape);

} // namespace engine
