#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// The properties of a GPU as CUDA reports them.
struct GpuFacts
{
    int device = 0;              // CUDA's ordinal in the process, as in GpuTrace
    std::string name, bus, uuid; // bus: "0000:19:00.0"
    // Attributes, named like the columns of Nsight Systems' TARGET_INFO_GPU: "smCount",
    // "l2CacheSize".
    std::vector<std::pair<std::string, std::int64_t>> numbers;

    friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

// SM clocks during the run, over all GPUs, for the samples in which the GPU was not idle.
struct GpuClocks
{
    std::int64_t samples = 0;            // 0: see `reason`
    int least = 0, median = 0, most = 0; // MHz
    std::uint64_t throttle = 0;          // Throttle bits (gpu_trace.h) of all samples
    std::string reason; // why there are no samples, one sentence; "" if none were requested

    friend bool operator==(const GpuClocks&, const GpuClocks&) = default;
};

// The GPUs of a run; empty for runs on the CPU.
struct GpuMachine
{
    std::vector<GpuFacts> gpus;
    // Versions of libraries and the CUDA configuration: {"driver", "580.95.05"}, {"tf32", "off"}.
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<std::vector<bool>> peers; // [from][to]: peer access is supported
    GpuClocks clocks;

    friend bool operator==(const GpuMachine&, const GpuMachine&) = default;
};

// The throttle reasons except Idle, for display: "power cap, thermal slowdown".
std::string throttleText(std::uint64_t throttle);

// Describes the clocks: "clocks 1755..1980 MHz (median 1965), no throttling"; "" if no clocks were
// requested.
std::string clockText(const GpuClocks& clocks);

} // namespace engine
