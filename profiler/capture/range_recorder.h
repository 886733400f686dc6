#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/nvtx_range.h"
#include "profiler/capture/nvtx/recorded.h"

#include <span>
#include <string>
#include <vector>

namespace profiler {

// Marks the ops of CPU and GPU runs for an attached profiler such as Nsight Systems. The host's
// work for an op is within an NVTX range "PP:2F0" of the domain "bubblescope", with the category
// and colour of its kind (nvtx_range.h). Without a profiler or without NVTX's headers, begin() and
// end() do nothing.
class OpRanges
{
public:
    // Makes NVTX load its tool (NVTX_INJECTION64_PATH), unless the tool is already loaded.
    OpRanges(const engine::Schedule& schedule, engine::NvtxGrammar grammar);

    // Thread-safe; may be nested.
    void begin(engine::OpOfIteration op) const;
    void end() const;
    bool isWatched() const { return m_domain != nullptr; }

private:
    struct Range
    {
        std::string text;
        engine::OpKind kind = engine::OpKind::Forward;
        std::int64_t microBatch = 0; // lower half of the NVTX payload
    };

    void* m_domain = nullptr;    // nvtxDomainHandle_t; lives as long as the process
    std::vector<Range> m_ranges; // one range per op; empty without a tool
};

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
