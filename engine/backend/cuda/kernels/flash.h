#pragma once

#include "engine/backend/cuda/kernels/lane.h"
#include "engine/backend/kernels.h"

namespace engine::cuda {

constexpr int kMostFlashSlices = 32, kLargestFlashHead = 128;

// Attention tile by tile with an online softmax (Dao et al., 2022; Dao, 2023) over the heads of one
// sample. Heads of up to 128 numbers; any length. Sums have one order: a block owns what it writes,
// forwards and for the gradients of queries a tile of rows, for those of keys and values a tile of
// columns, over which it takes the heads of a group and the tiles from the first to the last.
template<class Real>
struct FlashHeads
{
    const AttentionShape* shape = nullptr;
    int slice = 0;                          // which this is
    const Real* qkv[kMostFlashSlices] = {}; // the sample's first row in each slice up to this one
    int qkvStride[kMostFlashSlices] = {};   // numbers from a row to the next
};

// Where the sums of exponentials are, (heads, sequence), and the output, (sequence, width).
template<class Real>
struct FlashForward
{
    FlashHeads<Real> heads;
    Matrix<Real> out;
    float* logSums = nullptr;
};
template<class Real>
void flashForward(const Lane& lane, const FlashForward<Real>& op);

template<class Real>
struct FlashBackward
{
    FlashHeads<Real> heads;
    Matrix<const Real> out, dOut;
    const float* logSums = nullptr;
    float* products = nullptr; // (heads, sequence): workspace
    Matrix<float> dQuery;      // (sequence, width): written
    // Gradients of the keys and values of each slice up to this one, (sequence, keyWidth), added
    // to.
    Matrix<float> dKey[kMostFlashSlices], dValue[kMostFlashSlices];
};
template<class Real>
void flashBackward(const Lane& lane, const FlashBackward<Real>& op);

} // namespace engine::cuda
