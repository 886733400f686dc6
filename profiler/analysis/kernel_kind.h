#pragma once

#include <cstdint>
#include <string_view>

namespace profiler {

// What a kernel is for, as far as its name says: one colour and one word for each.
enum class KernelKind : std::uint8_t {
    Matmul,
    Attention, // softmax of the scores included
    Norm,
    Elementwise,
    Other,
    Copy,
    Memset,
    Nccl,
};
constexpr int kKernelKinds = 8;
std::string_view kernelKindName(KernelKind kind); // "matmul", "element-wise", "NCCL"

// By its demangled name: our own kernels, cuBLASLt's, cuDNN's, CUTLASS's, NCCL's, PyTorch's.
KernelKind kernelKindOf(std::string_view demangledName);

} // namespace profiler
