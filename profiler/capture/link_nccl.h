#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace profiler {

// NCCL launches what non-blocking communicators are called for on threads of its own, on which no
// op was pushed (Capture::push()). But the thread of a device waits within the launch of its SEND,
// RECV or ALLREDUCE until NCCL has launched it, so that the moment and the GPU tell the op. Of
// runs whose device d is the process's GPU d.
class NcclLinker
{
public:
    explicit NcclLinker(const engine::Schedule& schedule) // which outlives it
        : m_schedule(schedule)
        , m_index(schedule)
    { }

    // The next part of the trace, on CLOCK_MONOTONIC, with its launches. Kernels of NCCL from
    // before the first op (ranks that are connected) go.
    void link(engine::GpuTrace& trace);

private:
    void learn(const engine::GpuTrace& trace);
    engine::OpOfIteration opOf(const engine::GpuTrace& trace,
                               const engine::GpuKernel& kernel) const;

    const engine::Schedule& m_schedule;
    engine::OpIndex m_index;
    std::map<std::pair<std::int64_t, std::int64_t>, engine::GpuOpLaunch>
        m_launches;                                          // [device, begin] of what meets
    std::unordered_map<std::uint32_t, std::int64_t> m_calls; // [correlation] of no op: when
    std::optional<std::int64_t> m_first;                     // when an op was first launched
};

} // namespace profiler
