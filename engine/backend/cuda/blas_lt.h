#pragma once

#include "engine/backend/cuda/products.h"

#include <memory>

namespace engine::cuda {

// Matrix products by cuBLASLt, which is opened when it is first wanted: fp32 with fp32 sums (no
// tf32), the lane's scratch as its explicit workspace, no algorithm that adds with atomics. The
// algorithm is the first of the heuristics, asked once for each (shape, layout, alignment), so that
// the same run gives the same bits. `multiprocessors` is what the heuristics may count on: those of
// a partition; 0: all. Throws std::runtime_error where the library is missing or refuses.
std::unique_ptr<Products> makeBlasLt(int multiprocessors);

} // namespace engine::cuda
