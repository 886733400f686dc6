#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// A GPU as CUDA describes it.
struct GpuFacts
{
    int device = 0;              // as in the rows of GpuTrace
    std::string name, bus, uuid; // bus: "0000:19:00.0"
    // Named like the columns of Nsight Systems' TARGET_INFO_GPU: "smCount", "l2CacheSize".
    std::vector<std::pair<std::string, std::int64_t>> numbers;

    friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

// SM clocks during the run, over all GPUs and all samples at which they were not idle.
struct GpuClocks
{
    std::int64_t samples = 0;            // 0: none, see `reason`
    int least = 0, median = 0, most = 0; // MHz
    std::uint64_t throttle = 0;          // Throttle (gpu_trace.h) seen in any sample, or'ed
    std::string reason;                  // one sentence why there are none; "" where not asked

    friend bool operator==(const GpuClocks&, const GpuClocks&) = default;
};

// The GPUs of a run; empty for runs on the CPU.
struct GpuMachine
{
    std::vector<GpuFacts> gpus;
    // "driver" -> "580.95.05", "tf32" -> "off": versions of libraries and the CUDA
    // configuration.
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<std::vector<bool>> peers; // [from][to]: supports peer access
    GpuClocks clocks;

    friend bool operator==(const GpuMachine&, const GpuMachine&) = default;
};

// Throttle reasons for display, except idle: "power cap, heat".
std::string throttleText(std::uint64_t throttle);

// "clocks 1755..1980 MHz (median 1965), no throttling"; "" if unknown.
std::string clockText(const GpuClocks& clocks);

} // namespace engine
