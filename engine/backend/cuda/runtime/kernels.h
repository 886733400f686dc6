#pragma once

#include "engine/backend/cuda/blas/products.h"
#include "engine/backend/cuda/runtime/allocations.h"

#include <memory>

namespace engine::cuda {

// Makes kernels that run on a stream and allocate constants from `memory`. The arguments must
// outlive the result.
template<class Real>
std::unique_ptr<Kernels<Real>> makeKernels(const OpStream& opStream, Products& products,
                                           const Allocations& memory);

// Standard and recompute attention as batched matrix products. A batch has all heads of one sample.
// If g query heads share each key head, there are g batches per sample, each with one query head
// per key head. Sums over these query heads and over slices have a fixed order. Flash attention
// uses flash_tensor.h where possible, otherwise flash.h (head sizes up to 128).
template<class Real>
void attention(const OpStream& opStream, Products& products, const Attention<Real>& op);
template<class Real>
void attentionBackward(const OpStream& opStream, Products& products,
                       const AttentionBackward<Real>& op);

} // namespace engine::cuda
