#pragma once

#include <cstdint>

namespace engine {

// The summation of micro-batch gradients. Exact rounds each gradient to a multiple of 2^-40 and
// adds the multiples as int64, so that the sum does not depend on the order.
enum class Accumulate : std::uint8_t { Float, Exact };

} // namespace engine
