#pragma once

#include "engine/timeline/timeline.h"

#include <cstdint>
#include <vector>

namespace profiler {

// A set of times as sorted, non-empty windows that neither overlap nor touch. Zero-length windows
// are dropped, so ops without cost do not count.
using Windows = std::vector<engine::Window>;

// The union of windows, which may be in any order.
Windows unite(std::vector<engine::Window> windows);
Windows subtract(const Windows& whole, const Windows& holes);
Windows clip(const Windows& windows, engine::Window to);
std::int64_t length(const Windows& windows);
bool contains(const Windows& windows, std::int64_t time);

// The window of an op that does not run: it ends before it begins.
constexpr engine::Window kNotRun{0, -1};

// Adds a span to the window of its op, which is kNotRun at first. An imported all-reduce has one
// span per call: its window takes as long as all calls and ends with the last one.
engine::Window withSpan(engine::Window op, const engine::Span& span);

} // namespace profiler
