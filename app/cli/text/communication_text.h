#pragma once

#include "engine/schedule/check/communication.h"
#include "profiler/report/sheet.h"

namespace cli {

// Checks with which transports the schedule is safe. The schedule must be valid. If it has no
// transfers, they are added first.
engine::CommunicationReport checkTransports(const engine::Schedule& schedule);

// A row for each transport: whether the schedule is safe with it, or the first failure.
profiler::Table transportTable(const engine::CommunicationReport& report);
profiler::Reading communicationData(const engine::CommunicationReport& report); // for JSON

} // namespace cli
