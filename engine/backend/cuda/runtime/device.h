#pragma once

#include "engine/backend/cuda/runtime/stream.h"
#include "engine/backend/device.h"
#include "engine/backend/device_placement.h"

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

// The hardware of a device: a whole GPU, or a partition of it.
struct DevicePart
{
    int gpu = 0;
    std::shared_ptr<const Partition> partition; // nullptr: the whole GPU
    // Partitions share the clock of their GPU, except that a partition with Events::Own has its own
    // clock.
    std::shared_ptr<GpuClock> clock;
    Bytes before = 0; // bytes in use on the GPU when the device was opened
    int number = -1;  // index among the concurrent devices; -1: one device emulates all
};

// Throws std::bad_alloc, or std::runtime_error with CUDA's message.
std::unique_ptr<Device> makeDevice(const DevicePart& part);

// Opens `count` devices: the first `count` GPUs or, if there are fewer, equal partitions of GPUs
// (device_placement.h).
std::vector<std::unique_ptr<Device>> makeDevices(int count,
                                                 TransportChoice transport = TransportChoice::Auto);

} // namespace engine::cuda
