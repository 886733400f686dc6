#pragma once

#include <string>

namespace engine {

// The path of a plug-in ("libbubblescope_cuda.so"), searched in $BUBBLESCOPE_PLUGINS, the folder
// of the program and ../lib/bubblescope; "" if not found. Thread-safe.
std::string pluginFile(const std::string& name);

} // namespace engine
