#pragma once

#include "engine/base/units.h"
#include "engine/schedule/schedule.h"

#include <optional>
#include <string>
#include <vector>

namespace engine {

// Half-open: [begin, end). Two windows that touch do not overlap. Nanoseconds on the timeline's
// clock; on a timeline in abstract units one unit is RunInfo::ticksPerUnit ticks.
struct Window
{
    std::int64_t begin = 0, end = 0;

    std::int64_t duration() const { return end - begin; }
    bool contains(std::int64_t t) const { return begin <= t && t < end; }
    bool intersects(Window w) const { return begin < w.end && w.begin < end; }
    friend bool operator==(Window, Window) = default;
};

// One execution of one op. 24 bytes.
struct Span
{
    std::int64_t begin = 0, end = 0;
    std::uint32_t op = 0;        // OpIndex of the run's schedule
    std::uint32_t iteration = 0; // index into Timeline::iterations

    Window window() const { return {begin, end}; }
    friend bool operator==(const Span&, const Span&) = default;
};
static_assert(sizeof(Span) == 24);

// One row of a Gantt chart.
struct Track
{
    enum class Kind : std::uint8_t { Compute, Send, Receive, AllReduce, Copy };

    DeviceId device;
    Kind kind = Kind::Compute;
    // By begin. Joint ops share one window, and transfers and copies over several links of the
    // device may be under way at once, so that their ends need not ascend (span_index.h); nothing
    // else overlaps.
    std::vector<Span> spans;

    friend bool operator==(const Track&, const Track&) = default;
};

enum class MemoryCategory : std::uint8_t { Weights, Gradients, Optimizer, Stash, Buffers };
constexpr int kMemoryCategories = 5;
std::string_view memoryCategoryName(MemoryCategory category); // "optimizer state"

struct MemoryEvent
{
    static constexpr std::uint32_t kNoOp = 0xFFFFFFFF;

    std::int64_t time = 0, bytes = 0; // + allocated, - freed; at equal times frees come first
    std::uint32_t op = kNoOp; // OpIndex; kNoOp: before the first iteration (weights and the like)
    std::uint16_t device = 0;
    MemoryCategory category = MemoryCategory::Stash;

    friend bool operator==(const MemoryEvent&, const MemoryEvent&) = default;
};

struct Iteration
{
    enum class Kind : std::uint8_t {
        Warmup, // trains and is recorded, counts in nothing but the loss
        Measured,
        Replay, // every op's median over the measured iterations, placed once: the median
                // iteration
    };

    int number = 0; // of its kind, from 0
    Kind kind = Kind::Measured;
    Window window;                      // first F start on any device -> end of the last OPT
    std::optional<double> loss;         // nats per token, mean of the iteration
    std::optional<double> gradientNorm; // of that mean, over all parameters, before the step
    std::vector<float> microBatchLoss;  // [micro-batch], empty when there is none

    friend bool operator==(const Iteration&, const Iteration&) = default;
};

// What happened when. The simulator, the executor and every importer produce one;
// analysis, comparison, the Gantt view and export read it and cannot tell which did.
struct Timeline
{
    std::vector<Track> tracks;         // by device, then kind
    std::vector<MemoryEvent> memory;   // by time
    std::vector<Iteration> iterations; // in time order; a replay comes last, after the others' end

    Window extent() const; // of the iterations, replay left out unless it is all there is
    const Track* track(DeviceId device, Track::Kind kind) const; // nullptr when there is none
    friend bool operator==(const Timeline&, const Timeline&) = default;
};

// The iteration a view shows first: the replay, else the last measured, else the last. -1: none
// yet.
int headlineIteration(const Timeline& timeline);

} // namespace engine
