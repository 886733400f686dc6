#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/nvtx/recorded.h"

#include <span>

namespace profiler {

// Records the NVTX ranges that libraries mark (NCCL, cuDNN), and how streams are called: a tool of
// our own, libbubblescope_nvtx.so, which NVTX loads. One at a time in a process.
class RangeRecorder
{
public:
    // Before anything in the process has marked a range. Unsupported, in one sentence: another tool
    // is to get the ranges (NVTX_INJECTION64_PATH is set, and is left as it is), or the library is
    // not there. `named` is told on the thread that names a stream, which it is current on.
    static engine::Result<RangeRecorder> start(StreamNamed named = nullptr);

    // Adds the ranges that ended since the last time to `trace`. From one thread at a time.
    void addTo(engine::GpuTrace& trace);

private:
    RangeRecorder(TakeRanges take, StreamNamed named)
        : m_take(take)
        , m_named(named)
    { }

    TakeRanges m_take = nullptr;
    StreamNamed m_named = nullptr;
};

// Says of each range within whose launch it lies: on the same thread, from begin to end.
void linkRanges(std::span<engine::GpuRange> ranges, std::span<const engine::GpuOpLaunch> launches);

} // namespace profiler
