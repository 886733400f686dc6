#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/nvtx_range.h"

#include <memory>
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

} // namespace profiler
