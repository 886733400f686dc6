#include "profiler/analysis/kernel_kind.h"

#include "engine/base/id_vector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace profiler {
namespace {

struct Clue
{
    std::string_view part; // the part that is searched for in the lower-case name
    KernelKind kind;
};

// The first match applies: "flash_fwd_gemm" is attention, "splitKreduce" belongs to a matmul.
constexpr Clue kClues[] = {
    {"nccl", KernelKind::Nccl},
    {"memcpy", KernelKind::Copy},
    {"memset", KernelKind::Memset},
    {"flash", KernelKind::Attention},
    {"fmha", KernelKind::Attention},
    {"attention", KernelKind::Attention},
    {"softmax", KernelKind::Attention},
    {"querygradients", KernelKind::Attention},
    {"keygradients", KernelKind::Attention},
    {"rowproducts", KernelKind::Attention},
    {"rope", KernelKind::Elementwise},
    {"rotary", KernelKind::Elementwise},
    {"gemm", KernelKind::Matmul},
    {"nvjet", KernelKind::Matmul},
    {"cijk_", KernelKind::Matmul}, // of hipBLASLt and rocBLAS: "Cijk_Ailk_Bljk_BBS_BH_MT128x128"
    {"xmma", KernelKind::Matmul},
    {"gemv", KernelKind::Matmul},
    {"splitk", KernelKind::Matmul},
    {"matmul", KernelKind::Matmul},
    {"cublas", KernelKind::Matmul},
    {"loss", KernelKind::Other},
    {"crossentropy", KernelKind::Other},
    {"norm", KernelKind::Norm},
    {"rmsforward", KernelKind::Norm},
    {"rmsbackward", KernelKind::Norm},
    {"eachpack", KernelKind::Elementwise},
    {"elementwise", KernelKind::Elementwise},
    {"gelu", KernelKind::Elementwise},
    {"swiglu", KernelKind::Elementwise},
    {"adam", KernelKind::Elementwise},
};

} // namespace

std::string_view kernelKindName(KernelKind kind)
{
    constexpr engine::EnumArray<KernelKind, std::string_view, kKernelKinds> kNames{
        "matmul", "attention", "norm", "element-wise", "other", "copy", "memset", "NCCL"};
    return kNames[kind];
}

KernelKind kernelKindOf(std::string_view demangledName)
{
    std::string name(demangledName);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto clue = std::ranges::find_if(
        kClues, [&name](const Clue& one) { return name.find(one.part) != std::string::npos; });
    return clue == std::end(kClues) ? KernelKind::Other : clue->kind;
}

} // namespace profiler
