#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <vector>

namespace engine::sim {

// What the placer has to know of a schedule before it starts, found in one pass.
struct OrderFacts
{
    bool hasTransfers = false, hasCopies = false, hasRecomputes = false;
    std::vector<int> allReduceCalls; // [stage]
};

// Also checks what the placer takes for granted of ops that may come from a file: each exists, lies
// on the device of its stage, and names a peer where it goes to one. Fails at the first that
// does not.
Result<OrderFacts> orderFacts(const Schedule& schedule);

} // namespace engine::sim
