#pragma once

#include "engine/base/result.h"

#include <string>

namespace engine {

// Fails with Error::Code::NotFound if the file does not exist, and with Error::Code::Io if it
// cannot be read, is a device or a pipe, or has more than 1 GiB.
Result<std::string> readFile(const std::string& path);

} // namespace engine
