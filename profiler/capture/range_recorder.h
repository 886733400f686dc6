#pragma once

#include "engine/base/result.h"
#include "engine/timeline/gpu_trace.h"
#include "profiler/capture/nvtx/recorded.h"

#include <span>

namespace profiler {

// Records the NVTX ranges of libraries (NCCL, cuDNN) and the names of streams. NVTX loads
// libbubblescope_nvtx.so as its tool for this. There can be one instance per process.
class RangeRecorder
{
public:
    // Call it before any range is created in the process. Fails with Error::Code::Unsupported if
    // another tool is configured (NVTX_INJECTION64_PATH is set) or the library is missing; the
    // message gives the reason. `named` is called on the thread that names a stream.
    static engine::Result<RangeRecorder> start(StreamNamed named = nullptr);

    // Adds the ranges that ended since the last call. Not thread-safe.
    void addTo(engine::GpuTrace& trace);

private:
    RangeRecorder(TakeRanges take, StreamNamed named)
        : m_take(take)
        , m_named(named)
    { }

    TakeRanges m_take = nullptr;
    StreamNamed m_named = nullptr;
};

// Links each range to the launch that contains it and is on the same thread.
void linkRanges(std::span<engine::GpuRange> ranges, std::span<const engine::GpuOpLaunch> launches);

} // namespace profiler
