#pragma once

#include <string>

namespace engine {

// Returns the path of a plug-in such as "libbubblescope_cuda.so", or "" if it is not found.
// Searches $BUBBLESCOPE_PLUGINS, the folder of the program and ../lib/bubblescope. Thread-safe.
std::string pluginFile(const std::string& name);

} // namespace engine
