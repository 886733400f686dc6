#pragma once

#include <cstdint>

namespace engine {

// How the gradients of micro-batches are summed. Exact: each is rounded once to int64 (2^-40)
// and added as integers, so that the sum does not depend on the order.
enum class Accumulate : std::uint8_t { Float, Exact };

} // namespace engine
