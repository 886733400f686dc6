#pragma once

#include "engine/model/pipeline_model.h"
#include "engine/model/transformer_head.h"
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

// The positions of a stage's tensors among its parameters (embedding, blocks, head) and in its
// stash. Counts are in numbers of Real.
//
// The stash begins with the part that lives until W: one (rows, C) state per block, then the
// numbers that each block and the head keep for W. F writes x(b), the input of block b, into state
// b (b > 0). Op I overwrites the states with gradients: dOut(b), the gradient of the output of
// block b, is written into state b + 1. The last block has no next state, so its dOut is written
// into state 0:
// - On the last stage, state 0 holds the input of the head. The input of the stage is at the end of
//   the stash.
// - On other stages, state 0 holds the input of the stage, which op W does not need.
template<class Real>
struct StageLayout
{
    StageLayout(const ModelSpec& model, int stages, int stage, int slices);

    TransformerShape shape;
    int firstBlock = 0, blocks = 0;
    bool first = false, last = false;

    std::vector<Parameter> describe() const;
    std::size_t embeddingCount() const;
    std::size_t blockParameters(int block) const; // offset of the block
    std::size_t headParameters() const;
    std::size_t headWeight() const; // offset of the head's matrix
    // Size of the part kept until W: the states and the stash of the blocks.
    std::size_t blocksKept() const;
    std::size_t blocksRest() const; // size of the part kept until I
    std::size_t headKept() const;   // 0 unless this is the last stage
    std::size_t headRest() const;
    std::size_t weightStash() const { return blocksKept() + headKept(); }
    std::size_t stash() const { return weightStash() + blocksRest() + headRest(); }
};

template<class Real>
class StageStash
{
public:
    using Layout = StageLayout<std::remove_const_t<Real>>;
    StageStash(Real* first, const Layout& layout, const StashPieces<Real>& pieces = {});

    Matrix<Real> x(int block) const; // x(blocks) is the head's input
    Matrix<Real> dOut(int block) const;
    BlockStash<Real> block(int block) const;
    HeadStash<Real> head() const;
    EarlierSlices<Real> earlier(int block, const SequenceSlice& slice) const;

private:
    Matrix<Real> state(std::size_t index) const;

    Real *m_first, *m_headKept; // kept until W
    Real *m_rest, *m_headRest;  // kept until I
    const Layout& m_layout;
};

} // namespace engine
