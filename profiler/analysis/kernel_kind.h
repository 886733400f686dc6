#pragma once

#include <cstdint>
#include <string_view>

namespace profiler {

// The purpose of a kernel, guessed from its name; each has a colour and a name.
enum class KernelKind : std::uint8_t {
    Matmul,
    Attention, // including the softmax of the scores
    Norm,
    Elementwise,
    Other,
    Copy,
    Memset,
    Nccl,
};
constexpr int kKernelKinds = 8;
std::string_view kernelKindName(KernelKind kind); // "matmul", "element-wise", "NCCL"

// From the demangled name: our own kernels, cuBLASLt, cuDNN, CUTLASS, NCCL, PyTorch.
KernelKind kernelKindOf(std::string_view demangledName);

} // namespace profiler
