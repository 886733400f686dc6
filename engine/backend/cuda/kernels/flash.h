#pragma once

#include "engine/backend/cuda/kernels/op_stream.h"
#include "engine/backend/kernels.h"

namespace engine::cuda {

constexpr int kMostFlashSlices = 32, kLargestFlashHead = 128;

// Tiled attention with an online softmax (Dao et al., 2022; Dao, 2023) over the heads of one
// sample, for head sizes up to 128 and any length. Sums have a fixed order: each block owns its
// output (a tile of rows for the forward and the query gradients, a tile of columns for the key and
// value gradients) and processes the heads of a group and the tiles in order.
template<class Real>
struct FlashHeads
{
    const AttentionShape* shape = nullptr;
    int slice = 0; // index of the slice that is computed
    // [slice] The first row of the sample, for all slices up to the current one.
    const Real* qkv[kMostFlashSlices] = {};
    int qkvStride[kMostFlashSlices] = {}; // numbers between rows
};

// `out` is (sequence, width). `logSums` receives the logarithms of the sums of exponentials,
// (heads, sequence).
template<class Real>
struct FlashForward
{
    FlashHeads<Real> heads;
    Matrix<Real> out;
    float* logSums = nullptr;
};
template<class Real>
void flashForward(const OpStream& opStream, const FlashForward<Real>& op);

template<class Real>
struct FlashBackward
{
    FlashHeads<Real> heads;
    Matrix<const Real> out, dOut;
    const float* logSums = nullptr;
    float* products = nullptr; // workspace, (heads, sequence)
    Matrix<float> dQuery;      // (sequence, width): overwritten
    // [slice] The gradients of keys and values, (sequence, keyWidth), in all slices up to the
    // current one. The kernels add to them.
    Matrix<float> dKey[kMostFlashSlices], dValue[kMostFlashSlices];
};
template<class Real>
void flashBackward(const OpStream& opStream, const FlashBackward<Real>& op);

} // namespace engine::cuda
