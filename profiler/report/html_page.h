#pragma once

#include <string>

namespace profiler {

// A page in a single file, in the common style of reports. Its content security policy stops the
// browser from loading anything, even if a text in the body was not escaped.
std::string htmlPage(const std::string& title, const std::string& body);

} // namespace profiler
