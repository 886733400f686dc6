#pragma once

#include <string>

namespace profiler {

// A page that is one file, in the style of all reports. A policy stops the browser from loading
// anything, even if a text of the body was not escaped.
std::string htmlPage(const std::string& title, const std::string& body);

} // namespace profiler
