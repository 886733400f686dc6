#pragma once

#include <string>

namespace engine {

// Where a part that is loaded at run time lies ("libbubblescope_cuda.so"): in $BUBBLESCOPE_PLUGINS,
// beside the program, or in ../lib/bubblescope. "": nowhere. Any thread.
std::string pluginFile(const std::string& name);

} // namespace engine
