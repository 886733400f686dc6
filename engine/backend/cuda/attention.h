#pragma once

#include "engine/backend/cuda/products.h"

namespace engine::cuda {

// Standard and recomputing attention as batched matrix products, a batch being the heads of one
// sample (with grouped queries: the key heads, once for each query of the group, in their order).
// Sums over a group and over slices have one order. Flash
// attention is of its own kernels (flash.h), for heads of up to 128 numbers.
void attention(const Lane& lane, Products& products, const Attention<float>& op);
void attentionBackward(const Lane& lane, Products& products, const AttentionBackward<float>& op);

} // namespace engine::cuda
