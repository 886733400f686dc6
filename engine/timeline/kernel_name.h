#pragma once

#include <string>
#include <string_view>

namespace engine {

// "void (anonymous namespace)::layerNorm<float, 4>(Args)" of the linker's name; one that is no C++
// name stays as it is.
std::string demangled(const std::string& mangled);
// Of a demangled name the function alone: "layerNorm".
std::string shortName(const std::string& demangledName);
// The short name with the first class that it is made for, which tells the instances of a template
// apart: "sumChunks<Columns>"; of a kernel that only runs such a class, the class: "Gelu".
std::string kernelLabel(const std::string& demangledName);

// "ncclDevKernel_SendRecv(...)", "ncclKernel_AllReduce_RING_LL_Sum_float(...)": NCCL renamed them
// in 2.19.
bool isNcclKernel(std::string_view name);

} // namespace engine
