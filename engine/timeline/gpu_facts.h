#pragma once

#include "engine/base/id_vector.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// Owners of GPU memory. The owners before Rounding are allocations of the program. Owners within an
// arena count their bytes at the peak of the arena. Each owner after Rounding is a phase of the
// run, for used memory that appeared in it and that no allocation explains.
enum class GpuMemoryOwner : std::uint8_t {
    Weights,
    Gradients,
    Optimizer,
    Stash,
    Buffers,
    Idle,
    Workspaces, // workspaces of matrix products and reductions
    Staging,    // copies of other GPUs' gradients that an all-reduce sums
    Losses,
    Other,         // other allocations of the program
    Rounding,      // the driver rounds allocations up
    Contexts,      // used before a device was opened: contexts, tracers, other programs
    Partitions,    // appeared while devices were opened: partitions, streams, libraries
    Communicators, // appeared while NCCL's communicators were created
    Running,       // appeared during the run: kernels loaded late, graphs, tracers
};
constexpr int kGpuMemoryOwners = 15;
constexpr int kAllocatedOwners = 10;                       // number of owners before Rounding
std::string_view gpuMemoryOwnerKey(GpuMemoryOwner owner);  // "optimizer", for files and JSON
std::string_view gpuMemoryOwnerName(GpuMemoryOwner owner); // "optimizer state", for display
// Inverse of gpuMemoryOwnerKey().
std::optional<GpuMemoryOwner> gpuMemoryOwnerNamed(std::string_view);

// Memory of one GPU at the end of a run, in bytes.
struct GpuMemory
{
    int gpu = 0; // CUDA's index in the process
    EnumArray<GpuMemoryOwner, std::int64_t, kGpuMemoryOwners> of{};
    std::int64_t used = 0;     // bytes in use, as reported by the driver
    std::int64_t reserved = 0; // reserved for communicators before the run; belongs to no owner

    std::int64_t& operator[](GpuMemoryOwner owner) { return of[owner]; }
    std::int64_t operator[](GpuMemoryOwner owner) const { return of[owner]; }

    std::int64_t taken() const; // sum of the owners before Rounding
    std::int64_t known() const; // sum of all owners
    std::int64_t difference() const { return used - known(); }
    double differenceShare() const; // |difference()| / used

    friend bool operator==(const GpuMemory&, const GpuMemory&) = default;
};

// GpuMemory::gpu of the result has no meaning.
GpuMemory sumOf(std::span<const GpuMemory> gpus);

// memoryNote() reports GPUs with a larger differenceShare().
constexpr double kMemoryTolerance = 0.02;
// Names the GPUs above kMemoryTolerance: "GPU 1: the driver reports 3.1 % more memory (40 MiB) than
// accounted for"; "" if there are none.
std::string memoryNote(std::span<const GpuMemory> gpus);

} // namespace engine
