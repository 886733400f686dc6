#pragma once

#include "engine/schedule/schedule.h"

#include <string>

namespace cli {

// A schedule as people and other programs read it; its own file format is
// engine/schedule/formats/csv.h.

// One row a device, ops as spelled, and how its messages may be carried.
std::string scheduleText(const engine::Schedule& schedule);
std::string scheduleJson(const engine::Schedule& schedule);

} // namespace cli
