#pragma once

#include "engine/timeline/run.h"

#include <string>

namespace cli {

// Returns the report of an imported run. `file` is the file of the run; "" if none was written.
std::string importText(const engine::Run& run, const std::string& file);

} // namespace cli
