#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// Returns the chunks per device (and direction): the requested number or the scheme's default.
int chunksOf(const ScheduleRequest& request);
// Returns the value of --set, or the option's default. Requires checkRequest().
std::string_view chosen(const ScheduleRequest& request, const SchemeOption& option);
// Returns the value of --set as a number; `byDefault` is the option's default for this request.
int chosenNumber(const ScheduleRequest& request, const SchemeOption& option, int byDefault);

} // namespace engine::parts
