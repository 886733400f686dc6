#pragma once

#include "profiler/search/order_graph.h"

#include <span>
#include <vector>

namespace profiler {

// An order by list scheduling: the op that can start first runs first, a backward before a forward
// before a W, and at most `inFlight` micro-batches have begun and are not complete. With 1 the
// order needs the least memory. Empty if a device cannot go on within its limit.
std::vector<OrderGraph::Id> listOrder(const OrderGraph& graph, std::span<const std::int64_t> limits,
                                      int inFlight);

} // namespace profiler
