#pragma once

#include "engine/backend/cuda/blas/products.h"

#include <memory>

namespace engine::cuda {

struct BlasOptions
{
    // The number of SMs that the heuristics assume, for example the SMs of a partition. 0: all SMs
    // of the GPU.
    int multiprocessors = 0;
    // If set, products round their operands to a 10-bit mantissa. All operands must then be floats.
    bool tf32 = false;
};

// Matrix products with cuBLASLt, which is loaded on first use. They accumulate in fp32 and use the
// workspace of the stream. The algorithm is the first one that the heuristics return. It is chosen
// once for each combination of shape, layout, alignment and epilogue, so repeated runs give the
// same bits. Throws std::runtime_error if the library is missing or fails.
std::unique_ptr<Products> makeBlasLt(const BlasOptions& options = {});

} // namespace engine::cuda
