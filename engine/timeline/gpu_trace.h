#pragma once

#include "engine/timeline/timeline.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine {

// An execution of an op.
struct OpOfIteration
{
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    // An op of a data-parallel pipeline that is not recorded.
    static constexpr std::uint32_t kOtherCopy = 0xFFFFFFFE;

    std::uint32_t op = kNone;    // OpIndex of the run's schedule
    std::uint32_t iteration = 0; // index into Timeline::iterations

    bool isKnown() const { return op != kNone; }
    bool isOtherCopys() const { return op == kOtherCopy; }
    friend bool operator==(const OpOfIteration&, const OpOfIteration&) = default;
};

inline std::uint64_t key(OpOfIteration of)
{
    return std::uint64_t{of.iteration} << 32 | of.op;
}

// The place of a piece of work, in CUDA's ids. `device` is the ordinal within the process.
struct GpuPlace
{
    std::uint32_t device = 0, context = 0, stream = 0;
    std::uint64_t correlation = 0; // identifies the API call that launched the work; 0: unknown

    friend bool operator==(const GpuPlace&, const GpuPlace&) = default;
};

// Windows are nanoseconds of CLOCK_MONOTONIC. placeOnTimeline()
// (profiler/capture/link.h) moves them to the spans of their ops.

struct GpuKernel
{
    Window window; // [0, 0) if the time stamp is missing
    GpuPlace place = {};
    OpOfIteration of = {};
    std::uint32_t name = 0;                      // index of the mangled name in GpuTrace::strings
    std::array<std::int32_t, 3> grid{}, block{}; // blocks, threads
    std::uint32_t registers = 0;                 // registers per thread
    std::int32_t staticShared = 0, dynamicShared = 0; // shared memory in bytes per block
    std::uint32_t localPerThread = 0;                 // local memory in bytes per thread
    std::int64_t gridId = 0;
    std::uint64_t graphNode = 0; // 0: not launched by a graph

    friend bool operator==(const GpuKernel&, const GpuKernel&) = default;
};

// A copy within, to, from or between GPUs.
struct GpuCopy
{
    Window window;
    GpuPlace place = {};
    OpOfIteration of = {};
    std::uint64_t bytes = 0;
    // CUPTI's copy kind: 1 host to device, 2 device to host, 8 device to device, 10 between GPUs
    std::uint8_t kind = 0;
    std::uint8_t sourceMemory = 0,
                 targetMemory = 0; // CUPTI's memory kind: 1 pageable, 2 pinned, 3 device
    // The GPUs of a copy between GPUs. For other copies both are place.device.
    std::uint32_t sourceDevice = 0, targetDevice = 0;
    std::uint64_t graphNode = 0;

    friend bool operator==(const GpuCopy&, const GpuCopy&) = default;
};

struct GpuMemset
{
    Window window;
    GpuPlace place = {};
    OpOfIteration of = {};
    std::uint64_t bytes = 0;
    std::uint32_t value = 0;
    std::uint8_t memory = 0; // see GpuCopy
    std::uint64_t graphNode = 0;

    friend bool operator==(const GpuMemset&, const GpuMemset&) = default;
};

// A call of the CUDA runtime or driver on a host thread.
struct GpuCall
{
    Window window;
    OpOfIteration of = {};
    std::uint32_t name = 0; // index into GpuTrace::strings: "cudaLaunchKernel_v7000"
    std::uint64_t correlation = 0;
    std::uint32_t thread = 0, result = 0;
    bool isDriver = false;

    friend bool operator==(const GpuCall&, const GpuCall&) = default;
};

// A synchronization. `type` 1: the host waits for an event, 2: a stream waits for an event, 3: the
// host waits for a stream, 4: the host waits for a context.
struct GpuWait
{
    Window window;
    GpuPlace place = {};
    std::uint32_t type = 0, event = 0;
    std::uint64_t eventSync = 0;

    friend bool operator==(const GpuWait&, const GpuWait&) = default;
};

// An allocation or a free by the driver. Timeline::memory has the buffers within arenas.
struct GpuAllocation
{
    std::int64_t time = 0;
    GpuPlace place;
    std::uint64_t address = 0, bytes = 0;
    std::uint8_t memory = 0; // see GpuCopy
    bool isFree = false;

    friend bool operator==(const GpuAllocation&, const GpuAllocation&) = default;
};

// Time that the tracer itself took.
struct GpuOverhead
{
    Window window;
    std::uint32_t kind = 0; // CUPTI's overhead kind

    friend bool operator==(const GpuOverhead&, const GpuOverhead&) = default;
};

struct GpuContext
{
    std::uint32_t context = 0, device = 0, parent = 0, multiprocessors = 0;
    bool isPartition = false; // whether it is a green context

    friend bool operator==(const GpuContext&, const GpuContext&) = default;
};

struct GpuStream
{
    std::uint32_t stream = 0, context = 0, priority = 0;

    friend bool operator==(const GpuStream&, const GpuStream&) = default;
};

// The name of a stream: "device 3: compute".
struct GpuStreamName
{
    std::uint32_t name = 0; // index into GpuTrace::strings
    std::uint32_t stream = 0, context = 0, device = 0;

    friend bool operator==(const GpuStreamName&, const GpuStreamName&) = default;
};

// An NVTX range that a library pushed on the host. The ranges of ops are stored with the ops
// (run-files.md).
struct GpuRange
{
    Window window;
    OpOfIteration of; // the op that was being launched
    // Indices into GpuTrace::strings; domain "" is the default domain.
    std::uint32_t text = 0, domain = 0;
    std::uint32_t category = 0; // the library's category; 0: none
    std::uint32_t color = 0;    // ARGB; 0: none
    std::uint32_t thread = 0;   // Linux thread id
    std::optional<std::int64_t> payload;
    bool nests = true; // true: push/pop, false: start/end

    friend bool operator==(const GpuRange&, const GpuRange&) = default;
};

// The time during which the host launched an op.
struct GpuOpLaunch
{
    Window window;
    OpOfIteration of;
    std::uint32_t thread = 0; // Linux thread id

    friend bool operator==(const GpuOpLaunch&, const GpuOpLaunch&) = default;
};

// Throttle reasons, as NVML's bits (nvmlClocksEventReason*).
enum class Throttle : std::uint64_t {
    Idle = 0x1,
    ApplicationClocks = 0x2,
    PowerCap = 0x4,
    Hardware = 0x8,
    Sync = 0x10,
    Heat = 0x20,
    HardwareHeat = 0x40,
    PowerBrake = 0x80,
    DisplayClocks = 0x100,
};

// A sample of a GPU (NVML).
struct GpuSample
{
    std::int64_t time = 0;
    std::uint32_t device = 0;                   // CUDA's ordinal within the process
    std::uint32_t smClock = 0, memoryClock = 0; // MHz
    std::uint32_t power = 0, temperature = 0;   // mW, degrees Celsius
    std::uint64_t throttle = 0;                 // Throttle bits

    friend bool operator==(const GpuSample&, const GpuSample&) = default;
};

// The number of records that are missing or incomplete in a trace, by reason. A display of the
// trace must report every number above 0.
struct GpuTraceHealth
{
    std::int64_t dropped = 0;     // records lost by the tracer
    std::int64_t withoutOp = 0;   // kernels without a known op
    std::int64_t withoutTime = 0; // kernels without time stamps
    std::int64_t unknown = 0;     // records of unknown kinds
    // Buffers that CUPTI requested and that could not be allocated. Later records are lost.
    std::int64_t declinedBuffers = 0;

    bool isComplete() const { return *this == GpuTraceHealth{}; }
    GpuTraceHealth& operator+=(const GpuTraceHealth& more)
    {
        dropped += more.dropped;
        withoutOp += more.withoutOp;
        withoutTime += more.withoutTime;
        unknown += more.unknown;
        declinedBuffers += more.declinedBuffers;
        return *this;
    }
    friend bool operator==(const GpuTraceHealth&, const GpuTraceHealth&) = default;
};

// GPU activity of a run. The records of each list are almost sorted by time.
struct GpuTrace
{
    std::vector<std::string> strings; // names without duplicates; records have indices into it
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
    std::vector<GpuStreamName> streamNames;
    std::vector<GpuRange> ranges;
    std::vector<GpuOpLaunch> launches;
    std::vector<GpuSample> samples;

    bool isEmpty() const
    {
        return kernels.empty() && copies.empty() && memsets.empty() && calls.empty()
            && waits.empty() && allocations.empty() && overheads.empty() && contexts.empty()
            && streams.empty() && streamNames.empty() && ranges.empty() && launches.empty()
            && samples.empty();
    }
    friend bool operator==(const GpuTrace&, const GpuTrace&) = default;
};

} // namespace engine
