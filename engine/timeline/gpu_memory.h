#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Who has memory of a GPU. The first ones asked for it: of an arena its parts at its fullest
// moment, and what lies idle even then. Of the last ones the driver's account of what is gone says
// how much it is: what it grew by while they began, beyond what was asked for.
enum class GpuHolder : std::uint8_t {
    Weights,
    Gradients,
    Optimizer,
    Stash,
    Buffers,
    Idle,
    Workspaces, // of matrix products and reductions
    Staging,    // other GPUs' gradients on their way into a sum
    Losses,
    Other,         // of the program: none of the above
    Rounding,      // the driver gives memory in larger pieces
    Contexts,      // gone before a device was opened: contexts, a tracer's buffers, other programs
    Partitions,    // when devices were opened: partitions, streams, libraries
    Communicators, // NCCL's
    Running,       // while it ran: kernels that were loaded late, graphs, a tracer's buffers
};
constexpr int kGpuHolders = 15;
constexpr int kAskedForHolders = 10;                       // before Rounding
std::string_view gpuHolderKey(GpuHolder holder);           // "optimizer": in files and JSON
std::string_view gpuHolderName(GpuHolder holder);          // "optimizer state": for people
std::optional<GpuHolder> gpuHolderNamed(std::string_view); // by its key

// Memory of one GPU at the end of a run, in bytes.
struct GpuMemory
{
    int gpu = 0; // CUDA's number in the process
    std::array<std::int64_t, kGpuHolders> of{};
    std::int64_t used = 0;     // that the driver says is gone
    std::int64_t reserved = 0; // kept free for communicators before the run; no holder

    std::int64_t& operator[](GpuHolder holder) { return of[static_cast<std::size_t>(holder)]; }
    std::int64_t operator[](GpuHolder holder) const { return of[static_cast<std::size_t>(holder)]; }

    std::int64_t taken() const; // asked for by the program
    std::int64_t known() const; // of all holders
    std::int64_t difference() const { return used - known(); }
    double differenceShare() const; // of `used`, without its sign

    friend bool operator==(const GpuMemory&, const GpuMemory&) = default;
};

// All together, with the number of none of them.
GpuMemory sumOf(std::span<const GpuMemory> gpus);

// What holders and driver may differ by.
constexpr double kMemoryTolerance = 0.02;
// Of each GPU that differs by more a part of the sentence: "GPU 1: the driver says 3.1 % more
// memory is gone (40 MB) than is known of"; "": none does.
std::string memoryNote(std::span<const GpuMemory> gpus);

} // namespace engine
