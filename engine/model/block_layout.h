#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/model/transformer_shape.h"

#include <vector>

namespace engine {

// The tensors of a block in memory order, for weights and gradients. Tensors that the family
// lacks are null.
template<class Real>
struct BlockWeights
{
    Real *norm1Gain, *norm1Bias, *qkv, *qkvBias, *project, *projectBias;
    Real *norm2Gain, *norm2Bias, *expand, *expandBias, *contract, *contractBias;

    BlockWeights(Real* first, const TransformerShape& shape);
    static std::size_t count(const TransformerShape& shape);
};

// Appends the parameters of block `layer`.
void describeBlock(const TransformerShape& shape, int layer, std::vector<Parameter>& parameters);
void appendParameter(std::vector<Parameter>& parameters, std::string name, std::size_t count,
                     Parameter::Init init);

// What F of a block keeps besides its input. I overwrites activations with the gradients that W
// needs.
template<class Real>
struct BlockStash
{
    // Kept until W. Inputs of matrix products: (rows, C), activated (rows, inner).
    Real *norm1, *attended, *norm2, *activated;
    // The outputs of the products; after I their gradients: (rows, qkv), (rows, expanded),
    // (rows, C).
    Real *qkv, *expanded, *middle;
    // Kept until I: statistics, (rows) each (no means with RMSNorm); gradients of keys and
    // values from later slices (null without slices); and what attention keeps.
    Wide<Real>* inverse1;
    Wide<Real>* inverse2;
    Wide<Real>* mean1 = nullptr;
    Wide<Real>* mean2 = nullptr;
    Wide<Real>* keyGradients = nullptr;
    KeptAttention<Real> attention;

    // `kept` lives until W; `rest`, which is aligned for wide numbers, until I. Sizes are in
    // numbers of Real, rounded up for wide numbers.
    BlockStash(Real* kept, Real* rest, const TransformerShape& shape);
    static std::size_t keptCount(const TransformerShape& shape);
    static std::size_t restCount(const TransformerShape& shape);
};

} // namespace engine
