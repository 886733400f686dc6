#pragma once

#include "engine/backend/matrix.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace engine {

// What attention keeps from F to B. Standard: the scores. Recompute: nothing; the backward makes
// the scores of a head again, the same bits. Flash (Dao et al., 2022): a number a row, the log of
// the sum of exponentials; scores exist tile by tile.
enum class AttentionKind : std::uint8_t { Standard, Recompute, Flash };
enum class AttentionMask : std::uint8_t { Causal, Bidirectional };

// Sizes of one attention. A (rows, qkvWidth) matrix holds the queries of all heads, then the keys,
// then the values; several heads may share a key head (grouped queries, Ainslie et al., 2023).
// Counts are in numbers.
struct AttentionShape
{
    int samples = 0, sequence = 0; // tokens of a sample in one pass: of one slice
    int heads = 0, keyHeads = 0, headSize = 0;
    int slices = 1; // of a sample; more than one is causal
    // Heads that the device works on at a time (Kernels::headsAtOnce); workspaces are as many times
    // larger.
    int headsAtOnce = 1;
    AttentionKind kind = AttentionKind::Standard;
    AttentionMask mask = AttentionMask::Causal;

    static constexpr int kTile = 64; // rows and columns of scores that flash has at a time

    int width() const { return heads * headSize; }
    int keyWidth() const { return keyHeads * headSize; }
    int qkvWidth() const { return width() + 2 * keyWidth(); }
    std::size_t rows() const { return size(samples, sequence); }
    // Scores of one head: a row for each token of the slice, a column for each of the sample.
    std::size_t scores() const
    {
        return size(sequence, sequence) * static_cast<std::size_t>(slices);
    }
    std::size_t kept() const
    {
        switch (kind) {
        case AttentionKind::Standard:
            return size(samples, heads) * scores();
        case AttentionKind::Recompute:
            return 0;
        case AttentionKind::Flash:
            return size(samples, heads) * static_cast<std::size_t>(sequence);
        }
        return 0;
    }
    // Gradients of the slice's keys and values from later slices.
    std::size_t keyGradients() const
    {
        return slices > 1 ? rows() * 2 * static_cast<std::size_t>(keyWidth()) : 0;
    }
    std::size_t forwardWorkspace() const
    {
        if (kind == AttentionKind::Flash) // a tile of scores; largest and sum of its rows
            return atOnce(size(kTile, kTile) + 2 * static_cast<std::size_t>(kTile));
        return kind == AttentionKind::Recompute ? atOnce(scores()) : 0;
    }
    // Scores and their gradients; the gradients of q, k and v of a head.
    std::size_t backwardWorkspace() const
    {
        const std::size_t head = 3 * size(sequence, headSize);
        if (kind == AttentionKind::Flash)
            return atOnce(head + 2 * size(kTile, kTile) + static_cast<std::size_t>(sequence));
        return atOnce(head + (kind == AttentionKind::Recompute ? 2 : 1) * scores());
    }

private:
    std::size_t atOnce(std::size_t ofHead) const
    {
        return static_cast<std::size_t>(headsAtOnce) * ofHead;
    }
    static std::size_t size(int a, int b)
    {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
    }
};

// Slices 0 .. index - 1 of the same samples: their arrays, and where in each the (rows, qkvWidth)
// matrix begins and the (rows, 2 keyWidth) gradients of keys and values add up.
template<class Real>
struct EarlierSlices
{
    std::span<const std::span<Real>> arrays = {};
    std::size_t qkv = 0, keyGradients = 0;

    int count() const { return static_cast<int>(arrays.size()); }
};

template<class Real>
struct Attention
{
    AttentionShape shape;
    Matrix<const Real> qkv;
    Real* kept = nullptr; // of shape.kept() numbers
    Matrix<Real> out;     // (rows, width)
    EarlierSlices<Real> earlier = {};
    Real* workspace = nullptr; // of shape.forwardWorkspace() numbers
};

template<class Real>
struct AttentionBackward
{
    AttentionShape shape;
    Matrix<Real> qkv; // its gradient takes its place
    Real* kept = nullptr;
    Matrix<const Real> out, dOut;
    const Real* keyGradients = nullptr; // of this slice, complete; none without slices
    EarlierSlices<Real> earlier = {};   // gradients of their keys and values are added to
    Real* workspace = nullptr;          // of shape.backwardWorkspace() numbers
};

} // namespace engine
