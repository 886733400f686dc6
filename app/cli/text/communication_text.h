#pragma once

#include "engine/schedule/check/communication.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cli {

// Of a valid schedule, with its transfers or without: then they are added first.
engine::CommunicationReport communicationOf(const engine::Schedule& schedule);

// A row for each way to carry the messages: whether it is safe, and what goes wrong first.
std::string communicationTable(const engine::CommunicationReport& report);
// {"messages": 48, "transports": [{"name", "title", "safe", "device", "index", "op", "reason"}]};
// the last four are null where it is safe.
nlohmann::ordered_json communicationJson(const engine::CommunicationReport& report);

} // namespace cli
