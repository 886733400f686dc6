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

} // namespace engine::cuda
