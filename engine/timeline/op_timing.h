#pragma once

#include <cstdint>

namespace engine {

// Measured times of the execution of an op.
struct OpTiming
{
    // `op` is an OpIndex, `iteration` an index into Timeline::iterations.
    std::uint32_t op = 0, iteration = 0;
    std::uint32_t order = 0;                 // rank in the order of execution within the iteration
    std::int64_t wallBegin = 0, wallEnd = 0; // in ns of CLOCK_MONOTONIC
    // The duration in ns on the thread's CPU clock or on the GPU. Emulation places the op with this
    // duration.
    std::int64_t opTime = 0;
};

} // namespace engine
