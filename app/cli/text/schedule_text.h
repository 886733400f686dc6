#pragma once

#include "engine/schedule/schedule.h"

#include <string>

namespace cli {

// Texts that show a schedule. (engine/schedule/formats/FORMAT.md has the file format.)

// Returns one row of op names for each device, and the transports with which the schedule is safe.
std::string scheduleText(const engine::Schedule& schedule);
std::string scheduleJson(const engine::Schedule& schedule);

} // namespace cli
