#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace profiler {

// A set of times as sorted, non-empty windows that neither overlap nor touch. Zero-length windows
// are dropped, so ops without cost do not count.
using Windows = std::vector<engine::Window>;

using engine::unite;
Windows subtract(const Windows& whole, const Windows& holes);
Windows clip(const Windows& windows, engine::Window to); // `windows` are sorted
std::int64_t length(const Windows& windows);
bool contains(const Windows& windows, std::int64_t time);

// Returns an empty window if `a` and `b` do not intersect.
engine::Window overlap(engine::Window a, engine::Window b);

// The window of an op that does not run: it ends before it begins.
constexpr engine::Window kNotRun{0, -1};

// Returns the window of an op after adding one of its spans; `op` is kNotRun before the first span.
// An imported all-reduce has one span per call. Its window ends with the last call, and the length
// of the window is the sum of the durations of the calls.
engine::Window withSpan(engine::Window op, const engine::Span& span);

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
