#pragma once

#include "engine/backend/cuda/blas/products.h"
#include "engine/backend/cuda/runtime/allocations.h"

#include <memory>

namespace engine::cuda {

// The operations of a lane, with constants in `memory`. What it is made of must outlive it.
template<class Real>
std::unique_ptr<Kernels<Real>> makeKernels(const Lane& lane, Products& products,
                                           const Allocations& memory);

} // namespace engine::cuda
