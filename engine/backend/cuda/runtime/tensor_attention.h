#pragma once

#include "engine/backend/cuda/kernels/lane.h"
#include "engine/backend/kernels.h"

#include <string>

namespace engine::cuda {

// Queues flash attention on tensor cores (flash_tensor.h). Returns false and queues nothing unless
// heads have 64 or 128 numbers, rows are aligned to 16 bytes, and the GPU has enough shared memory
// per block.
bool tensorAttention(const Lane& lane, const Attention<bfloat16>& op);
bool tensorAttentionBackward(const Lane& lane, const AttentionBackward<bfloat16>& op);
// Returns a value of AttentionShape::headsAtOnce whose workspace suffices for the backward.
int headsOfTensorWorkspace(const AttentionShape& shape);
// Returns the reason why flash attention does not use tensor cores for some head sizes on a GPU
// with this much shared memory per block; "" if it uses them for all supported sizes.
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
