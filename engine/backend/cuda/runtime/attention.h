#pragma once

#include "engine/backend/cuda/blas/products.h"

namespace engine::cuda {

// Standard and recompute attention as batched matrix products. A batch has the heads of one sample.
// With grouped queries it has the key heads, and there is one batch for each query head of a group.
// Sums over a group and over slices have a fixed order. Flash attention has its own kernels:
// flash_tensor.h where possible, otherwise flash.h for heads of up to 128 numbers.
template<class Real>
void attention(const OpStream& opStream, Products& products, const Attention<Real>& op);
template<class Real>
void attentionBackward(const OpStream& opStream, Products& products,
                       const AttentionBackward<Real>& op);

} // namespace engine::cuda
