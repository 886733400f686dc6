#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/model_spec.h"

namespace engine {

// The sizes of one pass over a micro-batch, or over one slice if its samples are divided into
// `slices`.
struct TransformerShape
{
    explicit TransformerShape(const ModelSpec& model, int slices = 1);

    AttentionShape attention;
    int width = 0, expanded = 0, inner = 0; // `expanded` is the width after the first MLP matrix
    int vocabulary = 0, positions = 0;      // number of learned positions; 0: rotary positions
    // rmsNorm: RMSNorm instead of layer norm; biased: products have biases.
    bool rmsNorm = false, biased = true;
    bool gated = false;       // SwiGLU instead of GELU
    bool transformed = false; // BERT's head: dense layer, GELU, norm and bias

    int rows() const { return attention.samples * attention.sequence; }
    std::size_t times(int columns) const { return static_cast<std::size_t>(rows()) * columns; }
    // Numbers of the residual stream, which a stage passes to the next.
    std::size_t state() const { return times(width); }
    // Per row of a norm: 1 / deviation and, for layer norm, the mean.
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
    // Rows of logits are padded, because tensor cores need aligned rows; the padding is never read.
    int logitStride() const { return (vocabulary + kLogits - 1) / kLogits * kLogits; }
    template<class Real>
    Matrix<Real> logitsOf(Real* data) const
    {
        return {data, rows(), vocabulary, logitStride()};
    }

private:
    static constexpr int kLogits = 64;
};

// Return the FLOPs of F per token in the matrices of one block, and of the head.
double blockFlops(const TransformerShape& shape);
double headFlops(const TransformerShape& shape);

} // namespace engine
