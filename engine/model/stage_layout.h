#pragma once

#include "engine/model/block_layout.h"
#include "engine/model/transformer_head.h"

namespace engine {

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
    // Returns the memory of block `block` in the stashes of earlier slices.
    EarlierSlices<Real> earlier(int block, const SequenceSlice& slice) const;

private:
    Matrix<Real> state(std::size_t index) const;

    Real *m_first, *m_headKept; // kept until W
    Real *m_rest, *m_headRest;  // kept until I
    const Layout& m_layout;
};

} // namespace engine
