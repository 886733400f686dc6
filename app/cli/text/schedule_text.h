#pragma once

#include "engine/schedule/schedule.h"

#include <string>

namespace cli {

// A schedule for display and as JSON. engine/schedule/formats/csv.h has the file format.

// One row of op names per device, and the transports that are safe.
std::string scheduleText(const engine::Schedule& schedule);
std::string scheduleJson(const engine::Schedule& schedule);

} // namespace cli
