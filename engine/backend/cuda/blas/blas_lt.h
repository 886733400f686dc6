#pragma once

#include "engine/backend/cuda/blas/products.h"

#include <memory>

namespace engine::cuda {

struct BlasOptions
{
    int multiprocessors = 0; // what the heuristics may count on: those of a partition; 0: all
    // Operands are rounded to 10 bits behind the point; then all products are of floats.
    bool tf32 = false;
};

// Matrix products by cuBLASLt, which is opened when it is first wanted: fp32 sums, the lane's
// workspace as its own, parts of sums added as floats. The algorithm is the first of the
// heuristics, asked once for each (shape, layout, alignment, epilogue), so that the same run gives
// the same bits. Throws std::runtime_error where the library is missing or refuses.
std::unique_ptr<Products> makeBlasLt(const BlasOptions& options = {});

} // namespace engine::cuda
