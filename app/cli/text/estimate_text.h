#pragma once

#include "engine/cost/bpipe_gain.h"

#include <optional>
#include <string>

namespace cli {

// What `bscope estimate` prints. `use`: of a measured iteration, if its time was given.
std::string estimateText(const engine::BpipeQuestion& question, const engine::BpipeAnswer& answer,
                         const std::optional<engine::UtilisationEstimate>& use);
std::string estimateJson(const engine::BpipeQuestion& question, const engine::BpipeAnswer& answer,
                         const std::optional<engine::UtilisationEstimate>& use);

} // namespace cli
