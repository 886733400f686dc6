#pragma once

#include "engine/base/id_vector.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Owners of GPU memory. The first ones are requests of the program; parts of an arena are those
// at its peak. The last ones are differences in the driver's count that no request explains, by
// the phase in which they appeared.
enum class GpuHolder : std::uint8_t {
    Weights,
    Gradients,
    Optimizer,
    Stash,
    Buffers,
    Idle,
    Workspaces, // of matrix products and reductions
    Staging,    // copies of other GPUs' gradients for a sum
    Losses,
    Other,         // other requests of the program
    Rounding,      // rounding of the driver
    Contexts,      // in use before a device was opened: contexts, tracers, other programs
    Partitions,    // while devices were opened: partitions, streams, libraries
    Communicators, // NCCL's
    Running,       // during the run: kernels loaded late, graphs, tracers
};
constexpr int kGpuHolders = 15;
constexpr int kAskedForHolders = 10;                       // before Rounding
std::string_view gpuHolderKey(GpuHolder holder);           // "optimizer", for files and JSON
std::string_view gpuHolderName(GpuHolder holder);          // "optimizer state", for display
std::optional<GpuHolder> gpuHolderNamed(std::string_view); // by its key

// Memory of one GPU at the end of a run, in bytes.
struct GpuMemory
{
    int gpu = 0; // CUDA's index in the process
    EnumArray<GpuHolder, std::int64_t, kGpuHolders> of{};
    std::int64_t used = 0;     // in use as the driver reports
    std::int64_t reserved = 0; // reserved for communicators before the run; belongs to no owner

    std::int64_t& operator[](GpuHolder holder) { return of[holder]; }
    std::int64_t operator[](GpuHolder holder) const { return of[holder]; }

    std::int64_t taken() const; // requested by the program
    std::int64_t known() const; // of all owners
    std::int64_t difference() const { return used - known(); }
    double differenceShare() const; // absolute difference relative to `used`

    friend bool operator==(const GpuMemory&, const GpuMemory&) = default;
};

// The sum, without a GPU index.
GpuMemory sumOf(std::span<const GpuMemory> gpus);

// Tolerated difference between the sum of owners and the driver's value.
constexpr double kMemoryTolerance = 0.02;
// The GPUs with a larger difference: "GPU 1: the driver reports 3.1 % more memory (40 MB) than
// accounted for"; "" if there are none.
std::string memoryNote(std::span<const GpuMemory> gpus);

} // namespace engine
