#pragma once

#include "engine/timeline/timeline.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace engine {

// Which execution of which op something on a GPU belongs to.
struct OpOfIteration
{
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    std::uint32_t op = kNone;    // OpIndex of the run's schedule
    std::uint32_t iteration = 0; // index into Timeline::iterations

    bool isKnown() const { return op != kNone; }
    friend bool operator==(const OpOfIteration&, const OpOfIteration&) = default;
};

// Where a piece of work ran. Numbers are CUDA's; `device` is its ordinal within the process.
struct GpuPlace
{
    std::uint32_t device = 0, context = 0, stream = 0;
    std::uint32_t correlation = 0; // of the API call that launched it; 0: none is known

    friend bool operator==(const GpuPlace&, const GpuPlace&) = default;
};

// Windows are nanoseconds of CLOCK_MONOTONIC as they were measured, until placeOnTimeline()
// (profiler/capture/place_on_timeline.h) moves them to where their op is drawn.

struct GpuKernel
{
    Window window; // [0, 0): the GPU lost the time stamp
    GpuPlace place;
    OpOfIteration of;
    std::uint32_t name = 0;                           // GpuTrace::strings, as the linker spells it
    std::array<std::int32_t, 3> grid{}, block{};      // blocks, threads
    std::uint32_t registers = 0;                      // a thread
    std::int32_t staticShared = 0, dynamicShared = 0; // bytes a block
    std::uint32_t localPerThread = 0;                 // bytes
    std::int64_t gridId = 0;
    std::uint64_t graphNode = 0; // 0: not launched by a graph

    friend bool operator==(const GpuKernel&, const GpuKernel&) = default;
};

// A copy within, to, from or between GPUs.
struct GpuCopy
{
    Window window;
    GpuPlace place;
    OpOfIteration of;
    std::uint64_t bytes = 0;
    std::uint8_t kind = 0;                            // CUDA's: 1 host to device ... 8, 10 peers
    std::uint8_t sourceMemory = 0, targetMemory = 0;  // CUPTI's: 1 pageable, 2 pinned, 3 device
    std::uint32_t sourceDevice = 0, targetDevice = 0; // of peers; else both place.device
    std::uint64_t graphNode = 0;

    friend bool operator==(const GpuCopy&, const GpuCopy&) = default;
};

struct GpuMemset
{
    Window window;
    GpuPlace place;
    OpOfIteration of;
    std::uint64_t bytes = 0;
    std::uint32_t value = 0;
    std::uint8_t memory = 0; // as of GpuCopy
    std::uint64_t graphNode = 0;

    friend bool operator==(const GpuMemset&, const GpuMemset&) = default;
};

// A call of CUDA's runtime or driver on a thread of the host.
struct GpuCall
{
    Window window;
    OpOfIteration of;
    std::uint32_t name = 0; // GpuTrace::strings, "cudaLaunchKernel_v7000"
    std::uint32_t thread = 0, correlation = 0, result = 0;
    bool isDriver = false;

    friend bool operator==(const GpuCall&, const GpuCall&) = default;
};

// A wait: 1 for an event, 2 of a stream for an event, 3 for a stream, 4 for a context.
struct GpuWait
{
    Window window;
    GpuPlace place;
    std::uint32_t type = 0, event = 0;
    std::uint64_t eventSync = 0;

    friend bool operator==(const GpuWait&, const GpuWait&) = default;
};

// Memory that the driver gave or took back; what the engine's arenas do inside theirs is in
// Timeline::memory.
struct GpuAllocation
{
    std::int64_t time = 0;
    GpuPlace place;
    std::uint64_t address = 0, bytes = 0;
    std::uint8_t memory = 0; // as of GpuCopy
    bool isFree = false;

    friend bool operator==(const GpuAllocation&, const GpuAllocation&) = default;
};

// Time that the tracer itself took from the program.
struct GpuOverhead
{
    Window window;
    std::uint32_t kind = 0; // CUPTI's

    friend bool operator==(const GpuOverhead&, const GpuOverhead&) = default;
};

struct GpuContext
{
    std::uint32_t context = 0, device = 0, parent = 0, multiprocessors = 0;
    bool isPartition = false; // a green context

    friend bool operator==(const GpuContext&, const GpuContext&) = default;
};

struct GpuStream
{
    std::uint32_t stream = 0, context = 0, priority = 0;

    friend bool operator==(const GpuStream&, const GpuStream&) = default;
};

// How complete a trace is. A trace with a number here above 0 says so wherever it is shown.
struct GpuTraceHealth
{
    std::int64_t dropped = 0;         // records the tracer lost
    std::int64_t withoutOp = 0;       // kernels that no op is known for
    std::int64_t withoutTime = 0;     // kernels whose time stamp was lost
    std::int64_t unknown = 0;         // records of a kind this program does not know
    std::int64_t declinedBuffers = 0; // buffers refused for want of memory: what followed is lost

    bool isComplete() const { return *this == GpuTraceHealth{}; }
    friend bool operator==(const GpuTraceHealth&, const GpuTraceHealth&) = default;
};

// What ran on GPUs beneath the ops of a run. Rows come nearly in order of time.
struct GpuTrace
{
    std::vector<std::string> strings; // names, each once
    std::vector<GpuKernel> kernels;
    std::vector<GpuCopy> copies;
    std::vector<GpuMemset> memsets;
    std::vector<GpuCall> calls;
    std::vector<GpuWait> waits;
    std::vector<GpuAllocation> allocations;
    std::vector<GpuOverhead> overheads;
    std::vector<GpuContext> contexts;
    std::vector<GpuStream> streams;
    GpuTraceHealth health;

    bool isEmpty() const
    {
        return kernels.empty() && copies.empty() && memsets.empty() && calls.empty()
            && waits.empty() && allocations.empty() && overheads.empty() && contexts.empty()
            && streams.empty();
    }
    friend bool operator==(const GpuTrace&, const GpuTrace&) = default;
};

} // namespace engine
