#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/nvtx/recorded.h"

#include <span>

namespace profiler {

// Records the NVTX ranges of libraries (NCCL, cuDNN) and the names of streams with our own tool,
// libbubblescope_nvtx.so, which NVTX loads. One instance per process.
class RangeRecorder
{
public:
    // Call before any range is created in the process. Unsupported, with the reason: another
    // tool is configured (NVTX_INJECTION64_PATH is set), or the library is missing. `named` is
    // called on the thread that names a stream.
    static engine::Result<RangeRecorder> start(StreamNamed named = nullptr);

    // Adds ranges that ended since the last call. One thread at a time.
    void addTo(engine::GpuTrace& trace);

private:
    RangeRecorder(TakeRanges take, StreamNamed named)
        : m_take(take)
        , m_named(named)
    { }

    TakeRanges m_take = nullptr;
    StreamNamed m_named = nullptr;
};

// Links each range to the launch that contains it on the same thread.
void linkRanges(std::span<engine::GpuRange> ranges, std::span<const engine::GpuOpLaunch> launches);

} // namespace profiler
