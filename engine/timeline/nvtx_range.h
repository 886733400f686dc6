#pragma once

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The name, category and colour of an op's NVTX range, for files and for attached profilers.
namespace engine {

constexpr const char* kRangeDomain = "bubblescope";

struct RangeCategory
{
    int id = 0; // F=1 I=2 W=3 B=4 SEND=5 RECV=6 OPT=7 ALLREDUCE=8 EVICT=9 LOAD=10 RECOMPUTE=11
    std::string_view name;
    std::uint32_t argb = 0; // colour of the default palette, light theme
};
const RangeCategory& rangeCategory(OpKind kind);
std::vector<RangeCategory> rangeCategories(); // all categories, without duplicates

// The style of range names (`--nvtx-grammar`).
// - Bubblescope: "PP:2F0", as in PyTorch.
// - SailSg: "F0.1.0" (micro-batch, chunk, slice), as in the zero-bubble repository of sail-sg. Ops
//   that do not exist there have their Bubblescope names.
enum class NvtxGrammar : std::uint8_t { Bubblescope, SailSg };
constexpr std::string_view nvtxGrammarName(NvtxGrammar grammar)
{
    return grammar == NvtxGrammar::SailSg ? "sail-sg" : "bubblescope";
}
NvtxGrammar nvtxGrammarNamed(std::string_view name); // Bubblescope if unknown

// toString(), but with "0EVICT_HOST1" for a copy to host memory, as kits name it.
std::string rangeName(const Op& op);
std::string rangeText(const Op& op, const Shape& shape, NvtxGrammar grammar);
// The payload of a range: iteration << 32 | micro-batch (0xFFFFFFFF: none).
std::int64_t rangePayload(std::uint32_t iteration, const Op& op);

} // namespace engine
