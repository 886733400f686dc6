#pragma once

#include "engine/timeline/run.h"

#include <string>

namespace cli {

// The report of an imported run. `file` is where the run was written; "" if it was not.
std::string importText(const engine::Run& run, const std::string& file);

} // namespace cli
