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
    int patchValues = 0;                    // of a Vit: inputs per token
    // Rows of the embedding: a table of tokens, or the linear layer for patches with its bias.
    int embedded = 0;
    // rmsNorm: RMSNorm instead of layer norm; biased: products have biases.
    bool rmsNorm = false, biased = true;
    bool gated = false;       // SwiGLU instead of GELU
    bool transformed = false; // BERT's head: dense layer, GELU and norm
    bool decoderBias = false;

    int rows() const { return attention.samples * attention.sequence; }
    std::size_t times(int columns) const { return static_cast<std::size_t>(rows()) * columns; }
    // Rows of the logits. A Vit has one prediction per sample.
    int predictions() const { return patchValues > 0 ? attention.samples : rows(); }
    std::size_t decoded() const { return static_cast<std::size_t>(predictions()) * width; }
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
        return {data, predictions(), vocabulary, logitStride()};
    }

private:
    static constexpr int kLogits = 64;
};

} // namespace engine
