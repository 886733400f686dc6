#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/windows.h"

#include <array>
#include <span>
#include <vector>

namespace profiler {

// The spans of one iteration by device and kind of track. They are found by binary search, because
// the spans of a track are sorted and iterations do not interleave. The spans belong to `run`,
// which must outlive this object.
class Lanes
{
public:
    Lanes(const engine::Run& run, int iteration);

    int devices() const { return m_spans.size(); }
    engine::Window window() const { return m_window; } // of the iteration
    std::span<const engine::Span> spans(engine::DeviceId device, engine::Track::Kind kind) const;

    // Windows within the iteration.
    Windows compute(engine::DeviceId device) const;
    Windows communication(engine::DeviceId device) const; // running, with or without compute
    Windows exposed(engine::DeviceId device) const;       // running without compute
    Windows bubble(engine::DeviceId device) const;        // neither compute nor communication

private:
    using Row
        = engine::EnumArray<engine::Track::Kind, std::span<const engine::Span>, engine::kLaneKinds>;

    engine::Window m_window;
    engine::IdVector<engine::DeviceId, Row> m_spans;
};

// Returns `iteration`, or for -1 the reported iteration. Fails with Error::Code::NotFound if the
// run has no such iteration.
engine::Result<int> iterationIndex(const engine::Run& run, int iteration);

} // namespace profiler
