#pragma once

#include "engine/base/result.h"

#include <string>

namespace engine {

// The whole of a regular file. NotFound, or Io: not readable, not a regular file, larger than 1 GiB.
Result<std::string> readFile(const std::string& path);

} // namespace engine
