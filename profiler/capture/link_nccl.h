#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace profiler {

// Non-blocking NCCL communicators launch kernels on NCCL's own threads, without a preceding
// Capture::push(). The thread of the device waits within the launch of its SEND, RECV or
// ALLREDUCE until NCCL has launched it, so time and GPU identify the op. Only for runs whose
// device d is GPU d of the process.
class NcclLinker
{
public:
    explicit NcclLinker(const engine::Schedule& schedule) // which must outlive it
        : m_schedule(schedule)
        , m_index(schedule)
    { }

    // Links the next part of the trace, on CLOCK_MONOTONIC, with its launches. Drops NCCL
    // kernels from before the first op, which connect ranks.
    void link(engine::GpuTrace& trace);

private:
    void learn(const engine::GpuTrace& trace);
    engine::OpOfIteration opOf(const engine::GpuTrace& trace,
                               const engine::GpuKernel& kernel) const;

    const engine::Schedule& m_schedule;
    engine::OpIndex m_index;
    // [device, begin] of launches to match
    std::map<std::pair<std::int64_t, std::int64_t>, engine::GpuOpLaunch> m_launches;
    std::unordered_map<std::uint32_t, std::int64_t>
        m_calls;                         // [correlation] times of calls without an op
    std::optional<std::int64_t> m_first; // time of the first launch of an op
};

} // namespace profiler
