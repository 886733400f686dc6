#pragma once

#include <cstdint>

namespace engine {

// What was measured when an op really ran, beside its place on the timeline.
struct OpTiming
{
    std::uint32_t op = 0, iteration = 0;     // OpIndex; index into Timeline::iterations
    std::uint32_t order = 0;                 // of execution within the iteration
    std::int64_t wallBegin = 0, wallEnd = 0; // CLOCK_MONOTONIC, ns
    std::int64_t opTime = 0; // ns of the thread's CPU clock, or of the GPU: what is placed
};

} // namespace engine
