#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// Per device (and direction): the requested number or the scheme's default.
int chunksOf(const ScheduleRequest& request);
// The value of --set, or the option's default. Requires checkRequest().
std::string_view chosen(const ScheduleRequest& request, const SchemeOption& option);
// `byDefault` is the option's default for this request.
int chosenNumber(const ScheduleRequest& request, const SchemeOption& option, int byDefault);

// A number that must divide the number of micro-batches, and its description: "the devices".
struct Unit
{
    int microBatches = 1;
    std::string_view of;
};

// Checks shared by several schemes. Error messages name the rule and the nearest valid number.
Result<void> checkEvenDevices(const ScheduleRequest& request);
Result<void> checkUnits(const ScheduleRequest& request, const Unit& unit);
// `chunks` describes them: "chunks (two for each wave)".
Result<void> checkEvenChunks(const ScheduleRequest& request, std::string_view chunks);
// A direction of BitPipe is chunks/2 consecutive Vs.
Result<void> checkWholeVs(const ScheduleRequest& request);
Result<void> checkAtLeastTwiceTheDevices(const ScheduleRequest& request);

} // namespace engine::parts
