#pragma once

#include "engine/schedule/check/communication.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

// Requires a valid schedule; adds transfers if it has none.
engine::CommunicationReport communicationOf(const engine::Schedule& schedule);

// A row per transport: whether the schedule is safe with it, or else the first failure.
std::string communicationTable(const engine::CommunicationReport& report);
// {"messages": 48, "transports": [{"name", "title", "safe", "device", "index", "op",
// "reason"}]}; the last four are null if the transport is safe.
nlohmann::ordered_json communicationJson(const engine::CommunicationReport& report);

} // namespace cli
