#pragma once

#include "engine/backend/attention.h"
#include "engine/backend/bfloat16.h"
#include "engine/backend/cuda/kernels/op_stream.h"

namespace engine::cuda {

// FlashAttention-2 (Dao, 2023) on tensor cores, for bfloat16 and head sizes 64 and 128, over all
// heads of all samples. It accumulates in float. Every number is computed by one block that
// processes tiles in order, so there are no atomics and every run gives the same bits. For this,
// the backward computes the scores twice (seven products instead of five).
struct TensorFlash
{
    static constexpr int kMostSlices = 32;

    AttentionShape shape;
    int slice = 0; // index of the slice that is computed
    // [slice] The (rows, qkvWidth) matrices of all slices up to the current one. Rows are aligned
    // to 16 bytes.
    const bfloat16* qkv[kMostSlices] = {};
    int stride[kMostSlices] = {};

    static bool takes(int headSize) { return headSize == 64 || headSize == 128; }
    // The shared memory per block, in bytes, that the largest kernel needs: 66560 for head size 64,
    // 98816 for 128.
    static std::size_t sharedMemory(int headSize);
};

struct TensorFlashForward
{
    TensorFlash heads;
    Matrix<bfloat16> out;     // (rows, width)
    float* logSums = nullptr; // (samples, heads, sequence)
};
void flashForward(const OpStream& opStream, const TensorFlashForward& op);

struct TensorFlashBackward
{
    TensorFlash heads;
    Matrix<const bfloat16> out, dOut;
    const float* logSums = nullptr;
    // Workspace for the dot products of dOut and out in each row, (samples, heads, sequence).
    float* products = nullptr;
    Matrix<bfloat16> dQuery; // (rows, width): overwritten; must not alias qkv, which is still read
    // The keys and values of this slice, (rows, 2 keyWidth). Their gradients overwrite them.
    // `later` (rows, 2 keyWidth; optional) has the gradients from later slices, which are added.
    Matrix<bfloat16> dKeyValue;
    const float* later = nullptr;
    // [slice] The accumulated gradients of the keys and values of each earlier slice.
    float* earlier[TensorFlash::kMostSlices] = {};
};
void flashBackward(const OpStream& opStream, const TensorFlashBackward& op);

} // namespace engine::cuda
