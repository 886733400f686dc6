#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

// The chunks per device (and direction); the scheme's default where none are asked for.
int chunksOf(const ScheduleRequest& request);
// The value of --set; the option's default where nothing is set. checkRequest() has passed the
// options.
std::string_view chosen(const ScheduleRequest& request, const SchemeOption& option);
// The same of a number; `byDefault` is what the option's default means for this request.
int chosenNumber(const ScheduleRequest& request, const SchemeOption& option, int byDefault);

} // namespace engine::parts
