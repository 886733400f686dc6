#pragma once

#include "engine/schedule/schedule.h"

#include <string>

namespace cli {

// Prints a schedule for reading and as JSON. engine/schedule/formats/csv.h has the file format.

// One row of op names per device, then the transports that are safe.
std::string scheduleText(const engine::Schedule& schedule);
std::string scheduleJson(const engine::Schedule& schedule);

} // namespace cli
