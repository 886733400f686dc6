#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace engine {

// A GPU as CUDA describes it.
struct GpuFacts
{
    int device = 0;              // as rows of GpuTrace name it
    std::string name, bus, uuid; // bus: "0000:19:00.0"
    // By the names of the columns of Nsight Systems' TARGET_INFO_GPU: "smCount", "l2CacheSize".
    std::vector<std::pair<std::string, std::int64_t>> numbers;

    friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

// Clocks of the multiprocessors while the run computed, over all GPUs and all samples at which they
// were not idle.
struct GpuClocks
{
    std::int64_t samples = 0;            // 0: none were taken, see `reason`
    int least = 0, median = 0, most = 0; // MHz
    std::uint64_t throttle = 0;          // Throttle (gpu_trace.h) seen in any sample, or'ed
    std::string reason;                  // one sentence why there are none; "" where not asked

    friend bool operator==(const GpuClocks&, const GpuClocks&) = default;
};

// The machine of a run that GPUs computed; empty where none did.
struct GpuMachine
{
    std::vector<GpuFacts> gpus;
    // "driver" -> "580.95.05", "tf32" -> "off": versions of libraries, and how CUDA was set up.
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<std::vector<bool>> peers; // [from][to]: may copy directly
    GpuClocks clocks;

    friend bool operator==(const GpuMachine&, const GpuMachine&) = default;
};

// What slows a GPU down and is worth telling, in words: "power cap, heat". Being idle is not.
std::string throttleWords(std::uint64_t throttle);

// "clocks 1755..1980 MHz (median 1965), no throttling"; "" where nothing is known.
std::string clockWords(const GpuClocks& clocks);

} // namespace engine
