#pragma once

#include <string_view>

namespace engine {

std::string_view version(); // "0.1.0"
// Version and commit. The window refuses a worker from another build.
std::string_view buildId();

} // namespace engine
