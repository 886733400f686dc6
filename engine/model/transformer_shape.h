#pragma once

#include "engine/backend/kernels.h"
#include "engine/model/model_spec.h"

namespace engine {

// Sizes of one pass over one micro-batch, or over one of `slices` slices of its samples.
struct TransformerShape
{
    explicit TransformerShape(const ModelSpec& model, int slices = 1);

    AttentionShape attention;
    int width = 0, expanded = 0, inner = 0; // expanded: what the first MLP matrix gives
    int vocabulary = 0, positions = 0;      // learned positions; 0: rotary ones
    bool rmsNorm = false, biased = true;    // else layer norm
    bool gated = false;                     // SwiGLU, else GELU
    bool transformed = false; // the head: dense, GELU, a norm of its own, and a bias (BERT)

    int rows() const { return attention.samples * attention.sequence; }
    std::size_t times(int columns) const
    {
        return static_cast<std::size_t>(rows()) * static_cast<std::size_t>(columns);
    }
    // Of the residual stream: what stages pass to one another.
    std::size_t state() const { return times(width); }
    // Of one norm, a number a row: 1 / deviation, and layer norm's mean.
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
    // (rows, vocabulary). A vocabulary is rarely even, and tensor cores want rows that are aligned:
    // behind each there is room that nothing reads.
    int logitStride() const { return (vocabulary + kLogits - 1) / kLogits * kLogits; }
    template<class Real>
    Matrix<Real> logitsOf(Real* data) const
    {
        return {data, rows(), vocabulary, logitStride()};
    }

private:
    static constexpr int kLogits = 64;
};

// Multiplications and additions a token of the matrices of one block, and of the head.
double blockFlops(const TransformerShape& shape);
double headFlops(const TransformerShape& shape);

} // namespace engine
