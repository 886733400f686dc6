#include "profiler/capture/link.h"

#include "engine/base/clock.h"
#include "engine/timeline/kernel_name.h"
#include "engine/timeline/timeline.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

thread_local std::vector<engine::GpuOpLaunch> openLaunches;

using Begins = std::unordered_map<std::uint64_t, std::int64_t>;
using Spans = std::unordered_map<std::uint64_t, Window>;

Spans spansOf(const Timeline& timeline, const Begins& wanted)
{
    Spans spans;
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans)
            if (const auto id = key({span.op, span.iteration}); wanted.contains(id))
                spans.emplace(id, span.window());
    return spans;
}

bool isTimed(const Window& window)
{
    return window.end != 0; // GpuKernel::window is [0, 0) if the time stamp is missing
}

template<class Rows>
void noteFirst(const Rows& rows, Begins& begins)
{
    for (const auto& row : rows)
        if (row.of.isKnown()) {
            std::int64_t& first = begins.try_emplace(key(row.of), INT64_MAX).first->second;
            if (isTimed(row.window))
                first = std::min(first, row.window.begin);
        }
}

void move(Window& window, std::int64_t by)
{
    window.begin += by;
    window.end += by;
}

template<class Rows>
std::int64_t placeRows(Rows& rows, const Begins& begins, const Spans& spans)
{
    const auto cannotBePlaced = [&](auto& row) {
        const auto begin = begins.find(key(row.of));
        const auto span = spans.find(key(row.of));
        if (!row.of.isKnown() || begin == begins.end() || span == spans.end())
            return true;
        if (isTimed(row.window))
            move(row.window, span->second.begin - begin->second);
        return false;
    };
    const auto withoutOp = std::ranges::count_if(rows, [](auto& row) { return !row.of.isKnown(); });
    return static_cast<std::int64_t>(std::erase_if(rows, cannotBePlaced)) - withoutOp;
}

template<class Rows>
void cutOff(Rows& rows, const Spans& spans)
{
    for (auto& row : rows) {
        const Window span = spans.at(key(row.of));
        row.window.begin = std::clamp(row.window.begin, span.begin, span.end);
        row.window.end = std::clamp(row.window.end, span.begin, span.end);
    }
}

template<class Rows>
void playDevices(Rows& rows, const OpIndex& index)
{
    for (auto& row : rows)
        if (row.of.op < index.count())
            row.place.device = static_cast<std::uint32_t>(index.deviceOf(row.of.op).value);
}

} // namespace

void LaunchLog::begin(engine::OpOfIteration op)
{
    thread_local const std::uint32_t thread = syscall(SYS_gettid);
    openLaunches.push_back({{wallTime(), 0}, op, thread});
}

void LaunchLog::end()
{
    engine::GpuOpLaunch launch = openLaunches.back();
    openLaunches.pop_back();
    launch.window.end = wallTime();
    const std::lock_guard lock(m_mutex);
    m_done.push_back(launch);
}

std::vector<engine::GpuOpLaunch> LaunchLog::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_done, {});
}

void NcclLinker::learn(const GpuTrace& trace)
{
    for (const GpuOpLaunch& launch : trace.launches) {
        m_first = std::min(m_first.value_or(launch.window.begin), launch.window.begin);
        const OpKind kind = opAt(m_schedule, m_index, launch.of.op).kind;
        if (isTransfer(kind) || kind == OpKind::AllReduce)
            m_launches.set({m_index.deviceOf(launch.of.op).value, launch.window.begin}, launch);
    }
    for (const GpuCall& call : trace.calls)
        if (!call.of.isKnown())
            m_calls.set(call.correlation, call.window.begin);
}

OpOfIteration NcclLinker::opDuring(std::int64_t device, std::int64_t time) const
{
    for (const auto* launches : m_launches.halves()) {
        const auto after = launches->upper_bound({device, time});
        if (after == launches->begin())
            continue;
        const auto& [key, launch] = *std::prev(after);
        if (key.first == device && time < launch.window.end)
            return launch.of;
    }
    return {};
}

OpOfIteration NcclLinker::opOf(const GpuPlace& place) const
{
    for (const auto* calls : m_calls.halves())
        if (const auto call = calls->find(place.correlation); call != calls->end())
            return opDuring(place.device, call->second);
    return {};
}

void NcclLinker::link(GpuTrace& trace)
{
    learn(trace);
    const auto isUnlinked = [&](const GpuKernel& kernel) {
        return !kernel.of.isKnown() && communicates(trace.strings.at(kernel.name));
    };
    const auto isOfNoOp = [&](const GpuKernel& kernel) {
        const bool isBefore = !m_first || kernel.window.begin < *m_first;
        const bool isOtherCopys
            = std::cmp_greater_equal(kernel.place.device, m_schedule.shape.devices);
        return isUnlinked(kernel) && (isBefore || isOtherCopys);
    };
    const std::int64_t dropped = std::erase_if(trace.kernels, isOfNoOp);
    std::int64_t linked = 0;
    for (GpuKernel& kernel : trace.kernels)
        if (isUnlinked(kernel)) {
            kernel.of = opOf(kernel.place);
            linked += kernel.of.isKnown() ? 1 : 0;
        }
    trace.health.withoutOp -= dropped + linked;
}

void assignWindows(GpuTrace& trace, const Run& run)
{
    if (run.schedule.shape.windows <= 1)
        return;
    const std::vector<std::uint32_t> iterations = iterationsOfOps(run.schedule, run.timeline);
    const auto assign = [&iterations](auto& rows) {
        for (auto& row : rows)
            if (row.of.op < iterations.size())
                row.of.iteration = iterations[row.of.op];
    };
    assign(trace.kernels);
    assign(trace.copies);
    assign(trace.memsets);
    assign(trace.calls);
    assign(trace.ranges);
    assign(trace.launches);
}

GpuTrace placeOnTimeline(GpuTrace trace, const Run& run, std::span<const MeasuredWindow> measured)
{
    Begins onGpu, onHost;
    noteFirst(trace.kernels, onGpu);
    noteFirst(trace.copies, onGpu);
    noteFirst(trace.memsets, onGpu);
    for (const MeasuredWindow& window : measured)
        onHost.emplace(key(window.of), window.wall.begin);
    const Spans spans = spansOf(run.timeline, onGpu), ofCalls = spansOf(run.timeline, onHost);
    trace.health.dropped += placeRows(trace.kernels, onGpu, spans)
        + placeRows(trace.copies, onGpu, spans) + placeRows(trace.memsets, onGpu, spans);
    // Calls and ranges that placeRows() drops are not counted, because most of them are outside of
    // ops.
    placeRows(trace.calls, onHost, ofCalls);
    placeRows(trace.ranges, onHost, ofCalls);
    cutOff(trace.calls, ofCalls);
    cutOff(trace.ranges, ofCalls);
    const OpIndex index(run.schedule);
    playDevices(trace.kernels, index);
    playDevices(trace.copies, index);
    playDevices(trace.memsets, index);
    // These records belong to no op. They cannot be placed, because an emulated run has no wall
    // clock.
    trace.waits.clear();
    trace.allocations.clear();
    trace.overheads.clear();
    // Without launches, the NVTX range of an op has the window of its span, as it must in an
    // emulated run.
    trace.launches.clear();
    return trace;
}

std::optional<std::int64_t> originOf(const Run& run, std::span<const MeasuredWindow> measured)
{
    Begins begins;
    for (const MeasuredWindow& window : measured)
        begins.emplace(key(window.of), window.wall.begin);
    std::optional<std::int64_t> origin;
    // Joint ops share a span, which begins with the first of them. The other ops of the span give
    // too large a difference, so the smallest difference is the origin.
    for (const auto& [op, span] : spansOf(run.timeline, begins))
        origin = std::min(origin.value_or(INT64_MAX), begins.at(op) - span.begin);
    return origin;
}

void moveBy(GpuTrace& trace, std::int64_t nanoseconds)
{
    const auto all = [nanoseconds](auto& rows) {
        for (auto& row : rows)
            if (isTimed(row.window))
                move(row.window, nanoseconds);
    };
    all(trace.kernels);
    all(trace.copies);
    all(trace.memsets);
    all(trace.calls);
    all(trace.waits);
    all(trace.overheads);
    all(trace.ranges);
    all(trace.launches);
    for (GpuAllocation& event : trace.allocations)
        event.time += nanoseconds;
    for (GpuSample& sample : trace.samples)
        sample.time += nanoseconds;
}

} // namespace profiler
