#pragma once

#include "engine/backend/cuda/runtime/stream.h"

#include <array>
#include <cstdint>

namespace engine::cuda {

// Converts event times of one GPU to CLOCK_MONOTONIC. Partitions of a GPU share its clock, so that
// their times are consistent; only a partition with Events::Own has its own clock. The anchor is an
// event between two readings of the host clock. It is the best of several tries; its error is at
// most half the time between the readings.
class GpuClock
{
public:
    // `partition` must outlive the clock
    explicit GpuClock(int gpu, const Partition* partition = nullptr);
    ~GpuClock();
    GpuClock(const GpuClock&) = delete;
    GpuClock& operator=(const GpuClock&) = delete;

    void anchor(); // must not run while another thread calls timeOf()
    std::int64_t timeOf(cudaEvent_t event) const; // ns; requires a timed event that has passed

private:
    int m_gpu;
    Stream m_stream; // a stream of the whole GPU, or of the partition
    std::array<cudaEvent_t, 4> m_tries{};
    cudaEvent_t m_anchor = nullptr; // the best of m_tries
    std::int64_t m_time = 0;        // time of the anchor on the host clock
};

} // namespace engine::cuda
