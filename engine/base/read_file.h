#pragma once

#include "engine/base/result.h"

#include <string>

namespace engine {

// The whole of a file. NotFound, or Io with what the system says and what to do.
Result<std::string> readFile(const std::string& path);

} // namespace engine
