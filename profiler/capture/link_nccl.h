#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <map>
#include <optional>
#include <unordered_map>

namespace profiler {

// Attributes NCCL kernels to ops. Non-blocking communicators launch kernels on NCCL's own threads,
// where Capture::push() is not called. The thread of the device waits within the launch of its
// SEND, RECV or ALLREDUCE until NCCL has launched the kernel. So a kernel belongs to the op of its
// GPU during whose launch it was launched. Requires that device d is GPU d of the process.
class NcclLinker
{
public:
    explicit NcclLinker(const engine::Schedule& schedule) // `schedule` must outlive the linker
        : m_schedule(schedule)
        , m_index(schedule)
    { }

    // Links the NCCL kernels of the next part of the trace, with times on CLOCK_MONOTONIC, to the
    // ops that launched them. Drops NCCL kernels from before the first op, because they only
    // connect ranks.
    void link(engine::GpuTrace& trace);

private:
    void learn(const engine::GpuTrace& trace);
    engine::OpOfIteration opOf(const engine::GpuTrace& trace,
                               const engine::GpuKernel& kernel) const;

    const engine::Schedule& m_schedule;
    engine::OpIndex m_index;
    // Launches that have no kernel yet, by device and begin.
    std::map<std::pair<std::int64_t, std::int64_t>, engine::GpuOpLaunch> m_launches;
    // Correlation id -> begin of a call that belongs to no op.
    std::unordered_map<std::uint32_t, std::int64_t> m_calls;
    std::optional<std::int64_t> m_first; // time of the first op's launch
};

} // namespace profiler
