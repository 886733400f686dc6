#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/bfloat16.h"
#include "engine/backend/cuda/kernels/lane.h"

namespace engine::cuda {

// FlashAttention-2 (Dao, 2023) on tensor cores, for bfloat16 and heads of 64 or 128 numbers, all
// heads of all samples at once; sums are of floats. Every number has one block that makes it, which
// takes tiles from the first to the last: no atomics, the same bits in every run. The scores are
// made twice backwards (seven products instead of FlashAttention-2's five) so that nothing is added
// up between blocks.
struct TensorFlash
{
    static constexpr int kMostSlices = 32;

    AttentionShape shape;
    int slice = 0; // which this is
    // The (rows, qkvWidth) matrices of the slices up to this one. Rows are aligned to 16 bytes.
    const bfloat16* qkv[kMostSlices] = {};
    int stride[kMostSlices] = {};

    static bool takes(int headSize) { return headSize == 64 || headSize == 128; }
    // Bytes that the hungriest of its kernels wants for a block: 66048 and 98816.
    static std::size_t sharedMemory(int headSize);
};

struct TensorFlashForward
{
    TensorFlash heads;
    Matrix<bfloat16> out;     // (rows, width)
    float* logSums = nullptr; // (samples, heads, sequence)
};
void flashForward(const Lane& lane, const TensorFlashForward& op);

struct TensorFlashBackward
{
    TensorFlash heads;
    Matrix<const bfloat16> out, dOut;
    const float* logSums = nullptr;
    float* products = nullptr; // (samples, heads, sequence): dOut out, made here
    Matrix<bfloat16> dQuery;   // (rows, width): written; not in qkv, which is still read
    // Gradients of this slice's keys, then values, (rows, 2 keyWidth), in the place of the numbers
    // themselves, with those of later slices (rows, 2 keyWidth; none) added.
    Matrix<bfloat16> dKeyValue;
    const float* later = nullptr;
    float* earlier[TensorFlash::kMostSlices] = {}; // of slices before this one: added to
};
void flashBackward(const Lane& lane, const TensorFlashBackward& op);

} // namespace engine::cuda
