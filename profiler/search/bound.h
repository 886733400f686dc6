#pragma once

#include "profiler/search/order_graph.h"

#include <cstdint>
#include <span>

namespace profiler {

// A length in ticks that no order of the items can be shorter than, so that a search can say how
// much is left to gain. It is the largest of
// * the longest chain of items that wait for one another;
// * for every device, the shortest schedule of its items if each may be interrupted, cannot start
//   before its head, and is followed by its tail (Jackson; Carlier, EJOR 1982);
// * for every device with limited memory, the time in which its stashes fit: a stash stays from its
//   F through the chain of its micro-batch to the op that frees it.
// `limits`: [device] the most memory; empty: no limit.
std::int64_t lowerBound(const OrderGraph& graph, std::span<const std::int64_t> limits);

} // namespace profiler
