#pragma once

#include "engine/backend/cuda/kernels/lane.h"
#include "engine/backend/kernels.h"

#include <string>

namespace engine::cuda {

// Flash attention on tensor cores (flash_tensor.h), for bfloat16, heads of 64 or 128 numbers and
// rows aligned to 16 bytes, if the GPU has enough shared memory per block. Otherwise returns false
// and queues nothing.
bool tensorAttention(const Lane& lane, const Attention<bfloat16>& op);
bool tensorAttentionBackward(const Lane& lane, const AttentionBackward<bfloat16>& op);
// An AttentionShape::headsAtOnce whose workspace suffices for the backward.
int headsOfTensorWorkspace(const AttentionShape& shape);
// Why flash attention does not use tensor cores for some head sizes on a GPU with this much shared
// memory per block; "" if it uses them for all supported sizes.
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
