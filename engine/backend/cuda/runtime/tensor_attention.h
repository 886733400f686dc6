#pragma once

#include "engine/backend/cuda/kernels/lane.h"
#include "engine/backend/kernels.h"

#include <string>

namespace engine::cuda {

// Attention on tensor cores (flash_tensor.h): flash, of bfloat16, heads of 64 or 128 numbers in
// rows that are aligned to 16 bytes, where the GPU gives a block the shared memory for it. False,
// and nothing is queued, for anything else.
bool tensorAttention(const Lane& lane, const Attention<bfloat16>& op);
bool tensorAttentionBackward(const Lane& lane, const AttentionBackward<bfloat16>& op);
// AttentionShape::headsAtOnce with which a workspace is enough for its backward.
int headsOfTensorWorkspace(const AttentionShape& shape);
// Which flash attention is without tensor cores on a GPU whose blocks may have so many bytes of
// shared memory, and why; empty: none that has the right heads.
std::string lackOfTensorCores(std::size_t sharedMemory);

inline bool tensorAttention(const Lane&, const Attention<float>&)
{
    return false;
}
inline bool tensorAttentionBackward(const Lane&, const AttentionBackward<float>&)
{
    return false;
}

} // namespace engine::cuda
