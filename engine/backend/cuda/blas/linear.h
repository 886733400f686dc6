#pragma once

#include "engine/backend/cuda/blas/products.h"

// Linear layers as one product with an epilogue. These functions return false and queue nothing if
// the library has no such product; separate operations then give the same result. The library's
// GELU is the tanh form.
namespace engine::cuda {

template<class Real>
bool linear(const OpStream& opStream, Products& products, const Linear<Real>& op);
template<class Real>
bool linearBackwardInput(const OpStream& opStream, Products& products,
                         const LinearBackwardInput<Real>& op);
template<class Real>
bool linearBackwardWeight(const OpStream& opStream, Products& products,
                          const LinearBackwardWeight<Real>& op);

} // namespace engine::cuda
