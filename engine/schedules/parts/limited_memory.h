#pragma once

#include "engine/schedules/scheme.h"

#include <array>

namespace engine::parts {

// The durations of F, I and W for which searchWithinMemory() optimizes: --set costs=F:I:W.
inline constexpr std::array<std::string_view, 1> kUnitCosts{"1:1:1"};
bool isCosts(std::string_view value);
inline constexpr SchemeOption kCosts{
    "costs", "Costs F:I:W", kUnitCosts, {}, "F:I:W, three integers from 1 to 1000000", isCosts};
inline constexpr std::array kCostOptions{kCosts};

// Searches for the best order with one stage per device, split backward and at most `mostStash`
// micro-batches between F and W on a device. Runs the pipeline with several policies and returns
// the order with the smallest makespan. Ties go to the shortest span, then to the first policy. The
// order is valid, because it was simulated. Time: ops x log(D) per policy.
Schedule searchWithinMemory(const ScheduleRequest& request, int mostStash);

} // namespace engine::parts
