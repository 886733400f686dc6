#pragma once

#include "engine/schedule/check/communication.h"
#include "engine/schedule/schedule.h"
#include "profiler/report/sheet.h"

#include <string>

namespace cli {

// Texts that show a schedule. (engine/schedule/formats/FORMAT.md has the file format.)

// Returns one row of op names for each device, and the transports with which the schedule is safe.
std::string scheduleText(const engine::Schedule& schedule);
std::string scheduleJson(const engine::Schedule& schedule);

// Checks with which transports the schedule is safe. The schedule must be valid. If it has no
// transfers, they are added first.
engine::CommunicationReport checkTransports(const engine::Schedule& schedule);

// A row for each transport: whether the schedule is safe with it, or the first failure.
profiler::Table transportTable(const engine::CommunicationReport& report);
profiler::Reading communicationData(const engine::CommunicationReport& report); // for JSON

} // namespace cli
