#pragma once

#include "engine/backend/cuda/lane.h"
#include "engine/backend/kernels.h"

namespace engine::cuda {

// Attention tile by tile with an online softmax (Dao et al., 2022; Dao, 2023) over the heads of one
// sample. Heads of up to 128 numbers; any length. Sums have one order: a block owns what it writes,
// forwards and for the gradients of queries a tile of rows, for those of keys and values a tile of
// columns, over which it takes the heads of a group and the tiles from the first to the last.
struct FlashHeads
{
    static constexpr int kMostSlices = 32, kLargestHead = 128;

    const AttentionShape* shape = nullptr;
    int slice = 0;                      // which this is
    const float* qkv[kMostSlices] = {}; // the sample's first row in each slice up to this one
    int qkvStride[kMostSlices] = {};    // numbers from a row to the next
};

// Where the sums of exponentials are, (heads, sequence), and the output, (sequence, width).
struct FlashForward
{
    FlashHeads heads;
    Matrix<float> out;
    float* logSums = nullptr;
};
void flashForward(const Lane& lane, const FlashForward& op);

struct FlashBackward
{
    FlashHeads heads;
    Matrix<const float> out, dOut;
    const float* logSums = nullptr;
    float* products = nullptr; // (heads, sequence): workspace
    Matrix<float> dQuery;      // (sequence, width): written
    // Gradients of the keys and values of each slice up to this one, (sequence, keyWidth), added
    // to.
    Matrix<float> dKey[FlashHeads::kMostSlices], dValue[FlashHeads::kMostSlices];
};
void flashBackward(const Lane& lane, const FlashBackward& op);

} // namespace engine::cuda
