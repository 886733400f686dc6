#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"
#include "profiler/capture/recent.h"

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace profiler {

// We attribute GPU records to ops after they were made, because NCCL launches kernels on threads of
// its own, and an emulated run gets its timeline only when all of its ops are measured.

// Records when and on which thread the host launched each op. Thread-safe; launches may be nested.
class LaunchLog
{
public:
    void begin(engine::OpOfIteration op);
    void end();
    std::vector<engine::GpuOpLaunch> take(); // the launches that ended since the last call

private:
    std::mutex m_mutex; // protects the members below
    std::vector<engine::GpuOpLaunch> m_done;
};

// Attributes NCCL kernels to ops. Non-blocking communicators launch kernels on NCCL's own threads,
// where Capture::push() is not called. But the thread of a device that launches a SEND, RECV or
// ALLREDUCE waits until NCCL has launched the kernel. A kernel therefore belongs to the op that the
// thread of the kernel's GPU was launching at that time. Requires that device d is GPU d of the
// process.
class NcclLinker
{
public:
    explicit NcclLinker(const engine::Schedule& schedule) // `schedule` must outlive the linker
        : m_schedule(schedule)
        , m_index(schedule)
    { }

    // Links the NCCL kernels in the next part of the trace to the ops that launched them. Times
    // must be on CLOCK_MONOTONIC. Drops NCCL kernels before the first op (they only connect ranks)
    // and NCCL kernels on the GPUs of other data-parallel copies.
    void link(engine::GpuTrace& trace);

private:
    void learn(const engine::GpuTrace& trace);
    engine::OpOfIteration opOf(const engine::GpuPlace& place) const;
    engine::OpOfIteration opDuring(std::int64_t device, std::int64_t time) const;

    const engine::Schedule& m_schedule;
    engine::OpIndex m_index;
    // Launches of transfers and all-reduces, by device and start.
    Recent<std::map<std::pair<std::int64_t, std::int64_t>, engine::GpuOpLaunch>> m_launches;
    // For calls that belong to no op: correlation id -> start of the call.
    Recent<std::unordered_map<std::uint32_t, std::int64_t>> m_calls;
    std::optional<std::int64_t> m_first; // time of the first op's launch
};

// The time in which the host executed or queued an op, on CLOCK_MONOTONIC.
struct MeasuredWindow
{
    engine::OpOfIteration of;
    engine::Window wall;
};

// Assigns the records of a stream (Shape::windows > 1) to the windows of their ops. A record has no
// iteration when it is made, because a stream is divided into windows only after the last op. Does
// nothing for other runs.
void assignWindows(engine::GpuTrace& trace, const engine::Run& run);

// Moves the records of an emulated run from wall-clock time to the spans of their ops:
//  * The first GPU work of an op moves to the start of the op's span, and the op's other work moves
//    by the same amount.
//  * Host calls keep their distance from the launch of the op and are clipped to its span, so that
//    scripts find them within the span.
//  * GPU work without an op is counted and dropped. Work of ops that are not on the timeline is
//    dropped.
//  * Kernels without a time stamp keep their window, [0, 0).
//  * Device numbers become those of the emulated devices.
//
// `run` must have the spans of the iterations. For live runs use moveBy().
engine::GpuTrace placeOnTimeline(engine::GpuTrace trace, const engine::Run& run,
                                 std::span<const MeasuredWindow> measured);

// The time on CLOCK_MONOTONIC at which the timeline of a live run is 0; nullopt if the timeline has
// no op of `measured`.
std::optional<std::int64_t> originOf(const engine::Run& run,
                                     std::span<const MeasuredWindow> measured);

// Adds `nanoseconds` to the times of all records except kernels without a time stamp.
void moveBy(engine::GpuTrace& trace, std::int64_t nanoseconds);

} // namespace profiler
