#pragma once

#include <string>

namespace profiler {

// "void (anonymous namespace)::layerNorm<float, 4>(Args)" of the linker's name; one that is no C++
// name stays as it is.
std::string demangled(const std::string& mangled);
// Of a demangled name the function alone: "layerNorm".
std::string shortName(const std::string& demangledName);

} // namespace profiler
