#pragma once

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// A half-open interval [begin, end); windows that touch do not overlap. Times are in nanoseconds,
// or in ticks of an abstract unit (RunInfo::ticksPerUnit).
struct Window
{
    std::int64_t begin = 0, end = 0;

    std::int64_t duration() const { return end - begin; }
    bool contains(std::int64_t t) const { return begin <= t && t < end; }
    bool intersects(Window w) const { return begin < w.end && w.begin < end; }
    friend bool operator==(Window, Window) = default;
};

// One execution of one op. A span has 24 bytes, because timelines have tens of millions of them.
struct Span
{
    std::int64_t begin = 0, end = 0;
    std::uint32_t op = 0;        // OpIndex of the run's schedule
    std::uint32_t iteration = 0; // index into Timeline::iterations

    Window window() const { return {begin, end}; }
    friend bool operator==(const Span&, const Span&) = default;
};
static_assert(sizeof(Span) == 24);

constexpr int kLaneKinds = 5;

// One row of a Gantt chart.
struct Track
{
    enum class Kind : std::uint8_t { Compute, Send, Receive, AllReduce, Copy };

    DeviceId device;
    Kind kind = Kind::Compute;
    // Sorted by start. Ends need not ascend, because spans may overlap: joint ops share one window,
    // and transfers and copies may use several links (span_index.h).
    std::vector<Span> spans;

    friend bool operator==(const Track&, const Track&) = default;
};
Track::Kind laneOf(OpKind kind); // the kind of track that shows such ops

// Buffers: messages and workspace. Unknown: the trace of an imported run does not state it.
enum class MemoryCategory : std::uint8_t { Weights, Gradients, Optimizer, Stash, Buffers, Unknown };
constexpr int kMemoryCategories = 6;
std::string_view memoryCategoryName(MemoryCategory category); // "optimizer state"

struct MemoryEvent
{
    static constexpr std::uint32_t kNoOp = 0xFFFFFFFF;

    // `bytes` is positive for an allocation and negative for a free. At equal times frees come
    // first.
    std::int64_t time = 0, bytes = 0;
    std::uint32_t op = kNoOp; // OpIndex; kNoOp: before the first iteration (weights etc.)
    std::uint16_t device = 0;
    MemoryCategory category = MemoryCategory::Stash;

    friend bool operator==(const MemoryEvent&, const MemoryEvent&) = default;
};

struct Iteration
{
    enum class Kind : std::uint8_t {
        Warmup, // trains and is recorded, but counts only in the loss
        Measured,
        Replay, // the iteration of typical ops: placed with the median of every op
    };

    int number = 0; // number among the iterations of its kind, from 0
    Kind kind = Kind::Measured;
    Window window; // from the first start of an F on any device to the end of the last OPT
    std::optional<double> loss; // mean over the iteration, in nats per token
    // The norm of the gradient of the mean loss over all parameters, before the optimizer step.
    std::optional<double> gradientNorm;
    std::vector<float> microBatchLoss; // [micro-batch], empty if unknown

    friend bool operator==(const Iteration&, const Iteration&) = default;
};

// When the GPU of a device executes kernels. The windows of a list are sorted and do not touch.
struct KernelTimes
{
    std::vector<Window> compute, communication;

    // Adds a window; unite both lists afterwards.
    void add(bool communicates, Window window)
    {
        (communicates ? communication : compute).push_back(window);
    }

    friend bool operator==(const KernelTimes&, const KernelTimes&) = default;
};

// The union of windows, which may be in any order. Leaves out those without a length.
std::vector<Window> unite(std::vector<Window> windows);
std::vector<KernelTimes> unite(std::vector<KernelTimes> kernels);

// The times of a run. Simulator, executors and importers produce timelines; analysis,
// comparison, display and export do not depend on the producer.
struct Timeline
{
    std::vector<Track> tracks;         // sorted by device, then kind
    std::vector<MemoryEvent> memory;   // sorted by time
    std::vector<Iteration> iterations; // sorted by time; the Replay comes last
    // By device, of imported runs with GPU work. A device computes and communicates when its
    // kernels run; an op lasts from its first to its last kernel. Empty: when its ops run.
    std::vector<KernelTimes> kernels;

    // The window that covers all iterations except the Replay. A timeline with only a Replay
    // returns the window of that iteration.
    Window extent() const;
    const Track* track(DeviceId device, Track::Kind kind) const; // nullptr if missing
    friend bool operator==(const Timeline&, const Timeline&) = default;
};

// The median iteration, whose time is the time of the run: the measured iteration of median
// duration, the shorter of the middle two if their count is even. We report a recorded iteration
// rather than the Replay, because an iteration waits for the slowest op at every dependency, so
// that an iteration of typical ops is shorter than every measured one. Without measured iterations
// it is the last iteration; -1 without iterations.
int reportedIteration(const Timeline& timeline);

// Measured times of the execution of an op.
struct OpTiming
{
    // `op` is an OpIndex, `iteration` an index into Timeline::iterations.
    std::uint32_t op = 0, iteration = 0;
    std::uint32_t order = 0;                 // rank in the order of execution within the iteration
    std::int64_t wallBegin = 0, wallEnd = 0; // in ns of CLOCK_MONOTONIC
    // The duration in ns on the thread's CPU clock or on the GPU. Emulation places the op with this
    // duration.
    std::int64_t opTime = 0;
};

// Sums over an iteration, in ticks, for simulations that store no spans. profiler/analysis defines
// the terms.
struct DeviceSummary
{
    Window computed;           // first start to last end of the compute ops with a duration
    Window own;                // like `computed`, including all-reduces
    std::int64_t compute = 0;  // length of the union of the compute ops' windows
    double peakStash = 0;      // in parts (schedule/check/stash.h)
    std::int64_t peakKept = 0; // peak of HeldParts::kept (schedule/check/stash.h)
    int messagesSent = 0, messagesReceived = 0, localCopies = 0;
};

struct IterationSummary
{
    Window window;
    IdVector<DeviceId, DeviceSummary> devices;
    // Whether messages, all-reduces or copies take time. The exposed part of that time cannot be
    // computed without spans.
    bool hasCommunication = false;
};

// Names for files and tables: "all-reduce", "warmup". laneNamed() and iterationKindNamed() return
// nullopt for an unknown name.
std::string_view laneName(Track::Kind kind);
std::optional<Track::Kind> laneNamed(std::string_view name);
std::string_view iterationKindName(Iteration::Kind kind);
std::optional<Iteration::Kind> iterationKindNamed(std::string_view name);

// Replaces the last iteration of `timeline`, a stream of Shape::windows windows (schedule.h), by
// one iteration per window. Does nothing if there is only one window. A window begins when the last
// stage starts the forward of the window's first micro-batch. A span belongs to the window in which
// the span begins. In the steady state, all windows therefore have the same number of ops of every
// kind on every device. The last windowsToDrain() windows become Warmup, the `measured` windows
// before them Measured, and all earlier windows Warmup.
void divideIntoWindows(const Schedule& lowered, int measured, Timeline& timeline);

// By OpIndex, for a stream that was divided into windows.
std::vector<std::uint32_t> iterationsOfOps(const Schedule& lowered, const Timeline& timeline);

} // namespace engine
