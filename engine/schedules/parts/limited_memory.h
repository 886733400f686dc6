#pragma once

#include "engine/schedules/scheme.h"

#include <array>

namespace engine::parts {

// --set costs=F:I:W: the durations for which writeInMemory() looks for the best order.
inline constexpr std::array<std::string_view, 1> kUnitCosts{"1:1:1"};
bool isCosts(std::string_view value);
inline constexpr SchemeOption kCosts{
    "costs", "Costs F:I:W", kUnitCosts, {}, "F:I:W, three integers from 1 to 1000000", isCosts};
inline constexpr std::array kCostOptions{kCosts};

// One stage per device, split backward: runs the pipeline under a few policies, in none of which a
// device holds more than `mostStash` micro-batches from F to W, and keeps the order with the least
// time from first to last op; of equals that with the shortest span, of equals the first. A closed
// form is not needed: each order is one that ran. Time: ops x log(D) per policy.
Schedule searchWithinMemory(const ScheduleRequest& request, int mostStash);

} // namespace engine::parts
