#pragma once

#include "engine/backend/bfloat16.h"
#include "engine/backend/matrix.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

// What the forward of attention stores for the backward. Standard stores the scores. Recompute
// stores nothing; the backward computes the scores again, with the same bits. Flash (Dao et al.,
// 2022) stores only the logarithm of each row's sum of exponentials, and computes scores tile by
// tile.
enum class AttentionKind : std::uint8_t { Standard, Recompute, Flash };
enum class AttentionMask : std::uint8_t { Causal, Bidirectional };

// Sizes of an attention operation. A row of the (rows, qkvWidth) matrix has the queries of all
// heads, then the keys, then the values. Several query heads may share a key head (grouped queries,
// Ainslie et al., 2023). The functions return numbers of elements, not bytes.
struct AttentionShape
{
    int samples = 0, sequence = 0; // `sequence`: tokens per slice of a sample
    int heads = 0, keyHeads = 0, headSize = 0;
    // The number of slices into which each sample is cut. Several slices require causal attention.
    int slices = 1;
    // The number of heads that the device processes at once (Kernels::headsAtOnce). Workspaces are
    // larger by this factor.
    int headsAtOnce = 1;
    AttentionKind kind = AttentionKind::Standard;
    AttentionMask mask = AttentionMask::Causal;

    static constexpr int kTile = 64; // number of rows and of columns of a flash tile

    int width() const { return heads * headSize; }
    int keyWidth() const { return keyHeads * headSize; }
    int qkvWidth() const { return width() + 2 * keyWidth(); }
    std::size_t rows() const { return size(samples, sequence); }
    // The number of scores of one head, with a row for each token of the slice and a column for
    // each token of the sample.
    std::size_t scores() const { return size(sequence, sequence) * slices; }
    // The number of values that the forward stores for the backward, over all heads. keptScores()
    // counts values of type Real, keptSums() values of type Wide<Real>.
    std::size_t keptScores() const
    {
        return kind == AttentionKind::Standard ? size(samples, heads) * scores() : 0;
    }
    std::size_t keptSums() const
    {
        return kind == AttentionKind::Flash ? size(samples, heads) * sequence : 0;
    }
    // The number of Wide<Real> values that hold the gradients of a slice's keys and values while
    // later slices add to them. 0 if samples are not cut into slices.
    std::size_t keyGradients() const { return slices > 1 ? rows() * 2 * keyWidth() : 0; }
    // Size of the forward's workspace, in values of Wide<Real>. Flash needs a tile of scores, and
    // the maximum and the sum of each row of the tile. If Real is narrower than Wide<Real>, flash
    // also needs the tile in Real and the unfinished rows of the output.
    template<class Real = float>
    std::size_t forwardWorkspace() const
    {
        if (kind == AttentionKind::Flash)
            return atOnce(size(kTile, kTile) + std::size_t{2} * kTile
                          + (kPlacesOfWide<Real> > 1
                                 ? size(kTile, headSize) + inWide<Real>(size(kTile, kTile))
                                 : 0));
        return kind == AttentionKind::Recompute ? atOnce(inWide<Real>(scores())) : 0;
    }
    // Size of the backward's workspace, in values of Wide<Real>. For each head it holds the
    // gradients of q, k and v, and in addition:
    //   Standard: the gradients of the scores.
    //   Recompute: the scores and their gradients.
    //   Flash: a tile of scores, a tile of their gradients, and for each row the dot product of
    //   dOut and out.
    template<class Real = float>
    std::size_t backwardWorkspace() const
    {
        const std::size_t head = 3 * size(sequence, headSize);
        if (kind == AttentionKind::Flash)
            return atOnce(head + 2 * size(kTile, kTile) + sequence
                          + (kPlacesOfWide<Real> > 1 ? 2 * inWide<Real>(size(kTile, kTile)) : 0));
        return atOnce(head + (kind == AttentionKind::Recompute ? 2 : 1) * inWide<Real>(scores()));
    }

private:
    std::size_t atOnce(std::size_t ofHead) const { return headsAtOnce * ofHead; }
    static std::size_t size(int a, int b) { return static_cast<std::size_t>(a) * b; }
};

// The slices of the same samples that precede the current slice. memories[i] is the memory of slice
// i. In each memory, the (rows, qkvWidth) matrix starts at byte `qkv`, and the accumulated
// gradients of keys and values, (rows, 2 keyWidth), start at byte `keyGradients`.
template<class Real>
struct EarlierSlices
{
    std::span<const std::span<std::byte>> memories = {};
    std::size_t qkv = 0, keyGradients = 0;

    int count() const { return memories.size(); }
    Real* qkvOf(int slice) const { return reinterpret_cast<Real*>(at(slice) + qkv); }
    Wide<Real>* keyGradientsOf(int slice) const
    {
        return reinterpret_cast<Wide<Real>*>(at(slice) + keyGradients);
    }

private:
    std::byte* at(int slice) const { return memories[slice].data(); }
};

// What the forward stores for the backward: scores (Standard), logSums (Flash) or nothing
// (Recompute).
template<class Real>
struct KeptAttention
{
    Real* scores = nullptr;        // probabilities after the softmax; shape.keptScores() numbers
    Wide<Real>* logSums = nullptr; // shape.keptSums() numbers
};

template<class Real>
struct Attention
{
    AttentionShape shape;
    Matrix<const Real> qkv;
    KeptAttention<Real> kept = {};
    Matrix<Real> out; // (rows, width)
    EarlierSlices<Real> earlier = {};
    Wide<Real>* workspace = nullptr; // shape.forwardWorkspace<Real>() numbers
};

template<class Real>
struct AttentionBackward
{
    AttentionShape shape;
    Matrix<Real> qkv; // overwritten by its gradients
    KeptAttention<Real> kept = {};
    Matrix<const Real> out, dOut;
    // The contributions of later slices to the gradients of this slice's keys and values. nullptr
    // if samples are not cut into slices.
    const Wide<Real>* keyGradients = nullptr;
    // The backward adds to the key and value gradients of these slices.
    EarlierSlices<Real> earlier = {};
    Wide<Real>* workspace = nullptr; // shape.backwardWorkspace<Real>() numbers
};

} // namespace engine
