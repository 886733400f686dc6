#pragma once

#include "engine/backend/cuda/products.h"

#include <memory>

namespace engine::cuda {

// The operations of a lane. What it is made of must outlive it.
std::unique_ptr<Kernels<float>> makeKernels(const Lane& lane, Products& products);

} // namespace engine::cuda
