#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/windows.h"

#include <array>
#include <span>
#include <vector>

namespace profiler {

// Finds the spans of one iteration by device and kind of track. It uses binary search, because the
// spans of a track are sorted and iterations do not interleave. Returned spans belong to `run`,
// which must outlive this object.
class Lanes
{
public:
    Lanes(const engine::Run& run, int iteration);

    int devices() const { return m_spans.size(); }
    engine::Window window() const { return m_window; } // window of the iteration
    std::span<const engine::Span> spans(engine::DeviceId device, engine::Track::Kind kind) const;

    // Whether kernels, and not the windows of ops, show when a device computes and communicates.
    bool haveKernels() const { return !m_kernels.empty(); }
    // The following functions return windows within the iteration.
    Windows compute(engine::DeviceId device) const;
    // Times with communication, with or without compute.
    Windows communication(engine::DeviceId device) const;
    Windows exposed(engine::DeviceId device) const; // times with communication and without compute
    Windows bubble(engine::DeviceId device) const;  // times with neither

private:
    void addBefore(engine::DeviceId device, engine::Track::Kind kind,
                   std::vector<engine::Window>& windows) const;

    using Row
        = engine::EnumArray<engine::Track::Kind, std::span<const engine::Span>, engine::kLaneKinds>;

    engine::Window m_window;
    // By device; empty if the windows of the ops count.
    std::span<const engine::KernelTimes> m_kernels;
    engine::IdVector<engine::DeviceId, Row> m_spans;
    // Spans of earlier iterations that end after m_window begins, clipped to m_window. Only
    // asynchronous runs have such spans, because they do not flush between iterations.
    using Before
        = engine::EnumArray<engine::Track::Kind, std::vector<engine::Window>, engine::kLaneKinds>;
    engine::IdVector<engine::DeviceId, Before> m_before;
};

// Returns `iteration`, or the reported iteration for -1. Fails with Error::Code::NotFound if the
// run has no such iteration.
engine::Result<int> iterationIndex(const engine::Run& run, int iteration);

} // namespace profiler
