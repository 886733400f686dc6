#pragma once

#include "engine/timeline/run.h"

#include <string>

namespace cli {

// The last lines of `bscope run`: first and last loss, iteration, bubble, peak, and the file with
// the command that opens it.
std::string runSummary(const engine::Run& run, const std::string& file);

} // namespace cli
