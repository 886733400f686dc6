#pragma once

#include <cstdint>
#include <string_view>

namespace profiler {

// The purpose of a kernel, derived from its name, for colours and tables.
enum class KernelKind : std::uint8_t {
    Matmul,
    Attention, // includes the softmax of the scores
    Norm,
    Elementwise,
    Other,
    Copy,
    Memset,
    Nccl,
};
constexpr int kKernelKinds = 8;
std::string_view kernelKindName(KernelKind kind); // "matmul", "element-wise", "NCCL"

// Classifies the kernels of this program, cuBLASLt, cuDNN, CUTLASS, NCCL and PyTorch by their
// demangled names.
KernelKind kernelKindOf(std::string_view demangledName);

} // namespace profiler
