#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// How many micro-batches a scheme repeats, and what it makes that number from: "the devices".
struct Unit
{
    int microBatches = 1;
    std::string_view of;
};

// What several schemes ask for. Errors name the rule and the nearest number that keeps it.
Result<void> checkEvenDevices(const ScheduleRequest& request);
Result<void> checkUnits(const ScheduleRequest& request, const Unit& unit);
Result<void> checkAtLeastTwiceTheDevices(const ScheduleRequest& request);

} // namespace engine::parts
