#pragma once

#include "engine/backend/cuda/runtime/stream.h"

#include <array>
#include <cstdint>

namespace engine::cuda {

// Brings times of events of one GPU onto CLOCK_MONOTONIC: all its partitions share it, so that they
// are not off against each other, unless their events are their own. An event passes between two
// readings of the host's clock; the closest of several such pairs is the anchor, and is off by half
// their distance at most.
class GpuClock
{
public:
    explicit GpuClock(int gpu, const Partition* partition = nullptr); // which outlives it
    ~GpuClock();
    GpuClock(const GpuClock&) = delete;
    GpuClock& operator=(const GpuClock&) = delete;

    void anchor();                                // while nothing else asks for times
    std::int64_t timeOf(cudaEvent_t event) const; // ns; it has passed, and is timed

private:
    int m_gpu;
    Stream m_stream; // of the whole GPU, or of the partition
    std::array<cudaEvent_t, 4> m_tries{};
    cudaEvent_t m_anchor = nullptr; // of m_tries
    std::int64_t m_time = 0;        // of the anchor on the host's clock
};

} // namespace engine::cuda
