#include "profiler/capture/place_on_timeline.h"

#include <algorithm>
#include <unordered_map>

namespace profiler {

using namespace engine;

namespace {

std::uint64_t key(OpOfIteration of)
{
    return std::uint64_t{of.iteration} << 32 | of.op;
}

// How far an op moves, and where its span ends then.
struct Move
{
    std::int64_t by = 0;
    Window placed;
};
using Moves = std::unordered_map<std::uint64_t, Move>;

// Compute spans and those of lanes beside them: an op has one span an iteration.
Moves movesOf(const Timeline& timeline, std::span<const MeasuredWindow> measured)
{
    Moves moves;
    for (const MeasuredWindow& window : measured)
        moves[key(window.of)].by = -window.wall.begin;
    Moves placed;
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans)
            if (const auto found = moves.find(key({span.op, span.iteration})); found != moves.end())
                placed[found->first] = {found->second.by + span.begin, span.window()};
    return placed;
}

void move(Window& window, std::int64_t by)
{
    window.begin += by;
    window.end += by;
}

template<class Rows>
void placeRows(Rows& rows, const Moves& moves, std::int64_t& dropped)
{
    const auto cannotBePlaced = [&](auto& row) {
        const auto found = moves.find(key(row.of));
        if (!row.of.isKnown() || found == moves.end())
            return true;
        move(row.window, found->second.by);
        return false;
    };
    dropped += static_cast<std::int64_t>(std::erase_if(rows, cannotBePlaced));
}

void clampCalls(std::vector<GpuCall>& calls, const Moves& moves)
{
    for (GpuCall& call : calls) {
        const Window range = moves.at(key(call.of)).placed;
        call.window.begin = std::clamp(call.window.begin, range.begin, range.end);
        call.window.end = std::clamp(call.window.end, range.begin, range.end);
    }
}

} // namespace

GpuTrace placeOnTimeline(GpuTrace trace, const Run& run, std::span<const MeasuredWindow> measured)
{
    const Moves moves = movesOf(run.timeline, measured);
    std::int64_t ofOthers = 0; // calls outside of ops are ordinary, and not counted
    placeRows(trace.kernels, moves, trace.health.dropped);
    placeRows(trace.copies, moves, trace.health.dropped);
    placeRows(trace.memsets, moves, trace.health.dropped);
    placeRows(trace.calls, moves, ofOthers);
    clampCalls(trace.calls, moves);
    // They belong to no op, and an emulated run has no clock on which they happened.
    trace.waits.clear();
    trace.allocations.clear();
    trace.overheads.clear();
    return trace;
}

void moveBy(GpuTrace& trace, std::int64_t nanoseconds)
{
    const auto all = [nanoseconds](auto& rows) {
        for (auto& row : rows)
            move(row.window, nanoseconds);
    };
    all(trace.kernels);
    all(trace.copies);
    all(trace.memsets);
    all(trace.calls);
    all(trace.waits);
    all(trace.overheads);
    for (GpuAllocation& event : trace.allocations)
        event.time += nanoseconds;
}

} // namespace profiler
