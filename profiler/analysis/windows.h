#pragma once

#include "engine/timeline/timeline.h"

#include <cstdint>
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

// The window of an op that does not run: it ends before it begins.
constexpr engine::Window kNotRun{0, -1};

// Returns the window of an op after adding one of its spans; `op` is kNotRun before the first span.
// An imported all-reduce has one span per call. Its window ends with the last call, and the length
// of the window is the sum of the durations of the calls.
engine::Window withSpan(engine::Window op, const engine::Span& span);

} // namespace profiler
