#pragma once

#include "engine/cost/bpipe_gain.h"
#include "profiler/report/sheet.h"

#include <optional>

namespace cli {

// What `bscope estimate` prints. `use` is set if the command has the time of a measured iteration.
profiler::Sheet estimateSheet(const engine::BpipeQuestion& question,
                              const engine::BpipeAnswer& answer,
                              const std::optional<engine::UtilisationEstimate>& use);

} // namespace cli
