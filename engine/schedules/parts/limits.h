#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// A number that must divide the number of micro-batches, and its description: "the devices".
struct Unit
{
    int microBatches = 1;
    std::string_view of;
};

// Checks shared by several schemes. Error messages name the rule and the nearest valid number.
Result<void> checkEvenDevices(const ScheduleRequest& request);
Result<void> checkUnits(const ScheduleRequest& request, const Unit& unit);
// Checks that the number of chunks is even, because every direction is chunks/2 consecutive Vs.
Result<void> checkWholeVs(const ScheduleRequest& request);
Result<void> checkAtLeastTwiceTheDevices(const ScheduleRequest& request);

} // namespace engine::parts
