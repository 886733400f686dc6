#pragma once

#include "engine/backend/cuda/blas/products.h"

// Layers as one product with an epilogue. False, and nothing is queued, where there is no such
// product: the operations one by one do the same. What the library calls GELU is its tanh form.
namespace engine::cuda {

template<class Real>
bool linear(const Lane& lane, Products& products, const Linear<Real>& op);
template<class Real>
bool linearBackwardInput(const Lane& lane, Products& products, const LinearBackwardInput<Real>& op);
template<class Real>
bool linearBackwardWeight(const Lane& lane, Products& products,
                          const LinearBackwardWeight<Real>& op);

} // namespace engine::cuda
