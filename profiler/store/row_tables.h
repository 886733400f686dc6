#pragma once

#include "engine/timeline/note.h"
#include "engine/timeline/timeline.h"
#include "profiler/store/run_tables.h"

// The tables of this program that grow while a run is recorded. All of them share one sequence of
// ids, so that a reader can select in each table the rows after the last id that it has seen.

namespace profiler {

// Larger times and sizes are rejected as damaged, so that their sums and differences do not
// overflow.
inline constexpr std::int64_t kMostTicks = std::int64_t{1} << 61;
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

inline bool isTime(std::int64_t time)
{
    return -kMostTicks <= time && time <= kMostTicks;
}
inline bool isWindow(engine::Window window)
{
    return isTime(window.begin) && isTime(window.end) && window.begin <= window.end;
}

inline constexpr ColumnText kRowId{"id", kId, "",
                                   "unique across all tables that grow during a run"};
inline constexpr ColumnText kIterationColumn{"iteration", kInteger, "", "`BS_iteration.iteration`"};
inline constexpr ColumnText kOpColumn{"op", kInteger, "", "`BS_schedule.op`"};

struct TrackRow
{
    std::int64_t id = 0;
    engine::DeviceId device;
    engine::Track::Kind kind = engine::Track::Kind::Compute;
};
template<>
inline constexpr TableText kTableOf<TrackRow>{"BS_track", kEveryRun, "Rows of the Gantt chart"};
void columns(TrackRow& row, auto&& column)
{
    column(kRowId, row.id);
    column({"device", kInteger}, row.device);
    column({"lane", kText, "", "`compute send receive all-reduce copy`"},
           Spelled{row.kind, engine::laneName, engine::laneNamed});
}

struct IterationRow
{
    std::int64_t id = 0;
    std::uint32_t index = 0;
    engine::Iteration iteration;
};
template<>
inline constexpr TableText kTableOf<IterationRow>{"BS_iteration", kEveryRun,
                                                  "Iterations. An iteration can have two rows, one "
                                                  "from its start and one from its end; the later "
                                                  "row counts"};
void columns(IterationRow& row, auto&& column)
{
    auto& iteration = row.iteration;
    column(kRowId, row.id);
    column({"iteration", kInteger, "", "index over all kinds, from 0"}, row.index);
    column({"kind", kText, "", "`warmup measured replay`"},
           Spelled{iteration.kind, engine::iterationKindName, engine::iterationKindNamed});
    column({"number", kInteger, "", "number within its kind, from 0"}, iteration.number);
    column({"begin", kInteger, "tick", "first F of any device"}, iteration.window.begin);
    column({"end", kInteger, "tick", "end of the last op"}, iteration.window.end);
    column({"loss", kMaybeReal, "nats", "mean over its micro-batches; NULL: unknown"},
           iteration.loss);
    column({"gradient_norm", kMaybeReal, "",
            "Euclidean norm of the gradient of that loss over all parameters, before the optimizer "
            "step; NULL: unknown, or several updates (asynchronous schemes)"},
           iteration.gradientNorm);
}

struct LossRow
{
    std::int64_t id = 0;
    std::uint32_t iteration = 0, microBatch = 0;
    double loss = 0;
};
template<>
inline constexpr TableText kTableOf<LossRow>{
    "BS_loss", kEveryRun,
    "Losses of micro-batches; those of the first copy of the "
    "pipeline come first"};
void columns(LossRow& row, auto&& column)
{
    column(kRowId, row.id);
    column(kIterationColumn, row.iteration);
    column({"microbatch", kInteger, "", "number over all copies of the pipeline"}, row.microBatch);
    column({"loss", kMaybeReal, "nats"}, row.loss);
}

struct SpanRow
{
    std::int64_t id = 0, track = 0;
    engine::Span span;
};
template<>
inline constexpr TableText kTableOf<SpanRow>{"BS_span", kEveryRun,
                                             "The executions of ops on the timeline"};
void columns(SpanRow& row, auto&& column)
{
    column(kRowId, row.id);
    column(kIterationColumn, row.span.iteration);
    column({"track", kInteger, "", "`BS_track.id`"}, row.track);
    column(kOpColumn, row.span.op);
    column({"begin", kInteger, "tick"}, row.span.begin);
    column({"end", kInteger, "tick"}, row.span.end);
}

struct MemoryRow
{
    std::int64_t id = 0;
    engine::MemoryEvent event;
    std::uint8_t category = 0;
};
template<>
inline constexpr TableText kTableOf<MemoryRow>{"BS_memory", kEveryRun, "Allocations in the arenas"};
void columns(MemoryRow& row, auto&& column)
{
    column(kRowId, row.id);
    column({"time", kInteger, "tick"}, row.event.time);
    column({"bytes", kInteger, "byte", "positive: allocated, negative: freed"}, row.event.bytes);
    column({"op", kMaybeInteger, "", "`BS_schedule.op`; NULL: before the first iteration"},
           orNull(row.event.op, engine::MemoryEvent::kNoOp));
    column({"device", kInteger}, row.event.device);
    column({"category", kInteger, "", "`ENUM_BS_MEMORY_CATEGORY.id`"}, row.category);
}

struct OpRow
{
    std::int64_t id = 0;
    engine::OpTiming timing;
};
template<>
inline constexpr TableText kTableOf<OpRow>{"BS_op", "emulated and live runs",
                                           "Measured times of ops"};
void columns(OpRow& row, auto&& column)
{
    auto& timing = row.timing;
    column(kRowId, row.id);
    column(kIterationColumn, timing.iteration);
    column(kOpColumn, timing.op);
    column({"exec_order", kInteger, "", "order of execution within the iteration"}, timing.order);
    column({"wall_begin", kInteger, "ns", "CLOCK_MONOTONIC"}, timing.wallBegin);
    column({"wall_end", kInteger, "ns", "CLOCK_MONOTONIC"}, timing.wallEnd);
    column({"op_time", kInteger, "ns", "time on the thread's CPU clock or on the GPU"},
           timing.opTime);
}

template<>
inline constexpr TableText kTableOf<engine::Note>{
    "BS_annotation", "runs with notes", "Notes on a finished run, made in the window or by SQL"};
void columns(engine::Note& note, auto&& column)
{
    column({"id", kId, "", "any number above 0"}, note.id);
    column({"begin", kInteger, "tick", "start of the note; for a note on an op, start of its span"},
           note.window.begin);
    column({"end", kInteger, "tick"}, note.window.end);
    column({"iteration", kMaybeInteger, "", "`BS_iteration.iteration`"},
           orNull(note.iteration, -1));
    column({"op", kMaybeInteger, "", "`BS_schedule.op`; NULL: a note on a time range"}, note.op);
    column({"device", kMaybeInteger, "", "NULL: all devices"}, orNull(note.device.value, -1));
    column({"text", kText, "", "empty: a bookmark"}, note.text);
    column({"created", kMaybeText, "", "ISO 8601, UTC"}, note.created);
}

} // namespace profiler
