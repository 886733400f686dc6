#pragma once

#include "engine/schedule/check/communication.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

// Checks with which transports the schedule is safe. The schedule must be valid. If it has no
// transfers, they are added first.
engine::CommunicationReport communicationOf(const engine::Schedule& schedule);

// Returns a table with a row for each transport: whether the schedule is safe with it, or the first
// failure.
std::string communicationTable(const engine::CommunicationReport& report);
// Returns {"messages": 48, "transports": [{"name", "title", "safe", "device", "index", "op",
// "reason"}]}. The last four are null if the transport is safe.
nlohmann::ordered_json communicationJson(const engine::CommunicationReport& report);

} // namespace cli
