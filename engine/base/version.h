#pragma once

#include <string_view>

namespace engine {

std::string_view version(); // "0.1.0"
// Version and commit. The window compares its own with the worker's before it starts one.
std::string_view buildId();

} // namespace engine
