#pragma once

#include "engine/backend/cuda/kernels/op_stream.h"
#include "engine/backend/kernels.h"

#include <string>

namespace engine::cuda {

// Queues flash attention on tensor cores (flash_tensor.h). Returns false and queues nothing unless
// the head size is 64 or 128, rows are aligned to 16 bytes, and the GPU has enough shared memory
// per block.
bool tensorAttention(const OpStream& opStream, const Attention<bfloat16>& op);
bool tensorAttentionBackward(const OpStream& opStream, const AttentionBackward<bfloat16>& op);
int headsOfTensorWorkspace(const AttentionShape& shape);
// Why flash attention does not use tensor cores for some head sizes on a GPU with this much shared
// memory per block; "" if it uses them for all.
std::string lackOfTensorCores(std::size_t sharedMemory);

inline bool tensorAttention(const OpStream&, const Attention<float>&)
{
    return false;
}
inline bool tensorAttentionBackward(const OpStream&, const AttentionBackward<float>&)
{
    return false;
}

} // namespace engine::cuda
