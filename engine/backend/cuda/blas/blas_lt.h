#pragma once

#include "engine/backend/cuda/blas/products.h"

#include <memory>

namespace engine::cuda {

struct BlasOptions
{
    int multiprocessors = 0; // number of SMs for the heuristics (those of a partition); 0: all
    // If set, products round their operands to a 10-bit mantissa. All operands must then be floats.
    bool tf32 = false;
};

// Matrix products with cuBLASLt, which is loaded on first use. They accumulate in fp32 and use the
// workspace of the stream. For each combination of shape, layout, alignment and epilogue the first
// algorithm that the heuristics return is chosen once, so repeated runs give the same bits. Throws
// std::runtime_error if the library is missing or fails.
std::unique_ptr<Products> makeBlasLt(const BlasOptions& options = {});

} // namespace engine::cuda
