#pragma once

#include "engine/cost/bpipe_gain.h"

#include <optional>
#include <string>

namespace cli {

// Return the output of `bscope estimate`. `use` is set if the command has the time of a measured
// iteration.
std::string estimateText(const engine::BpipeQuestion& question, const engine::BpipeAnswer& answer,
                         const std::optional<engine::UtilisationEstimate>& use);
std::string estimateJson(const engine::BpipeQuestion& question, const engine::BpipeAnswer& answer,
                         const std::optional<engine::UtilisationEstimate>& use);

} // namespace cli
