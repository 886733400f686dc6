#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/model/transformer_shape.h"

#include <vector>

namespace engine {

// The tensors of a block in memory order, for weights or for gradients. Tensors that the model
// family does not have are nullptr.
template<class Real>
struct BlockWeights
{
    Real *norm1Gain, *norm1Bias, *qkv, *qkvBias, *project, *projectBias;
    Real *norm2Gain, *norm2Bias, *expand, *expandBias, *contract, *contractBias;

    BlockWeights(Real* first, const TransformerShape& shape);
    static std::size_t count(const TransformerShape& shape);
};

// Appends descriptions of the parameters of block `layer`.
void describeBlock(const TransformerShape& shape, int layer, std::vector<Parameter>& parameters);
void appendParameter(std::vector<Parameter>& parameters, std::string name, std::size_t count,
                     Parameter::Init init);

// Tensors that op F of a block keeps for ops I and W, in addition to the block's input. Op I
// overwrites activations with the gradients that op W needs.
template<class Real>
struct BlockStash
{
    // The inputs of the matrix products, kept until W. `activated` is (rows, inner), the others
    // (rows, C).
    Real *norm1, *attended, *norm2, *activated;
    // The outputs of these products, kept until W: (rows, qkv), (rows, expanded) and (rows, C). Op
    // I overwrites each output with its gradient.
    Real *qkv, *expanded, *middle;
    // The following are kept until I:
    // - the statistics of the norms, (rows) each; RMSNorm has no means,
    // - the gradients of keys and values, to which later slices add; nullptr without slices,
    // - what the forward of attention keeps for the backward.
    Wide<Real>* inverse1;
    Wide<Real>* inverse2;
    Wide<Real>* mean1 = nullptr;
    Wide<Real>* mean2 = nullptr;
    Wide<Real>* keyGradients = nullptr;
    KeptAttention<Real> attention;

    // `kept` lives until W, `rest` until I. `rest` is aligned for Wide<Real>. Sizes are in numbers
    // of Real, rounded up to whole numbers of Wide<Real>.
    BlockStash(Real* kept, Real* rest, const TransformerShape& shape);
    static std::size_t keptCount(const TransformerShape& shape);
    static std::size_t restCount(const TransformerShape& shape);
};

} // namespace engine
