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

// Recognizes "ncclDevKernel_SendRecv(...)", before NCCL 2.19
// "ncclKernel_AllReduce_RING_LL_Sum_float(...)", and the kernels of RCCL and MSCCL.
bool isNcclKernel(std::string_view name);

} // namespace engine
