#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"

#include <memory>
#include <string>
#include <vector>

namespace profiler {

// Marks ops for whatever profiler is attached to the process (Nsight Systems, ...): an NVTX range
// "PP:2F0" around what the host does for an op, in the domain "bubblescope", with the category and
// the colour of its kind (range_words.h). On the CPU, too. With no tool attached, or in a build
// without NVTX's headers, begin() and end() return at once.
class OpRanges
{
public:
    // Chooses the tool, if nothing in the process has done so before: NVTX_INJECTION64_PATH.
    explicit OpRanges(const engine::Schedule& schedule);

    // Any thread, each for itself. They nest.
    void begin(engine::OpOfIteration op) const;
    void end() const;
    bool isWatched() const { return m_domain != nullptr; }

private:
    struct Range
    {
        std::string text;
        engine::OpKind kind = engine::OpKind::Forward;
        std::int64_t microBatch = 0; // the lower half of the payload
    };

    void* m_domain = nullptr;    // nvtxDomainHandle_t; of the process, never given back
    std::vector<Range> m_ranges; // [op], empty where nobody watches
};

} // namespace profiler
