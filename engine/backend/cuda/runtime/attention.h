#pragma once

#include "engine/backend/cuda/blas/products.h"

namespace engine::cuda {

// Standard and recomputing attention as batched matrix products, a batch being the heads of one
// sample (with grouped queries: the key heads, once for each query of the group, in their order).
// Sums over a group and over slices have one order. Flash
// attention is of its own kernels: flash_tensor.h where it can be, else flash.h, for heads of up to
// 128 numbers.
template<class Real>
void attention(const Lane& lane, Products& products, const Attention<Real>& op);
template<class Real>
void attentionBackward(const Lane& lane, Products& products, const AttentionBackward<Real>& op);

} // namespace engine::cuda
