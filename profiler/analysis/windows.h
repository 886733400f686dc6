#pragma once

#include "engine/timeline/timeline.h"

#include <cstdint>
#include <vector>

namespace profiler {

// Sets of time: windows that are sorted, do not touch and are not empty. Zero-length windows
// vanish, so an op that costs nothing counts in nothing.
using Windows = std::vector<engine::Window>;

// The set of whatever windows come in, in any order.
Windows unite(std::vector<engine::Window> windows);
// What is in `whole` and in none of `holes`.
Windows subtract(const Windows& whole, const Windows& holes);
Windows clip(const Windows& windows, engine::Window to);
std::int64_t length(const Windows& windows);

} // namespace profiler
