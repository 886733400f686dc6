#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/recent.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace profiler {

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

} // namespace profiler
