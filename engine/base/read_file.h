#pragma once

#include "engine/base/result.h"

#include <string>

namespace engine {

// Returns the contents of a file, or NotFound if it does not exist, or Io with the system's
// message.
Result<std::string> readFile(const std::string& path);

} // namespace engine
