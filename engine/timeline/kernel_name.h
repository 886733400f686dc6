#pragma once

#include <string>
#include <string_view>

namespace engine {

// Demangles "void (anonymous namespace)::layerNorm<float, 4>(Args)"; returns other names
// unchanged.
std::string demangled(const std::string& mangled);
// "layerNorm"
std::string shortName(const std::string& demangledName);
// The short name with its first class argument, which distinguishes instances of a template:
// "sumChunks<Columns>"; for a generic kernel that only calls its class argument, the class: "Gelu".
std::string kernelLabel(const std::string& demangledName);

// Whether a kernel sends, sums or waits instead of computing: "ncclDevKernel_SendRecv(...)", or a
// kernel of another library. Its time is communication, so it must not hide that a device is idle.
bool communicates(std::string_view kernel);

} // namespace engine
