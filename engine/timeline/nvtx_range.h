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
    std::uint32_t argb = 0; // of the default palette, light theme
};
const RangeCategory& rangeCategory(OpKind kind);
std::vector<RangeCategory> rangeCategories(); // without duplicates

std::string rangeText(const Op& op); // "PP:2F0", as PyTorch names them
// The payload of a range: iteration << 32 | micro-batch (0xFFFFFFFF: none).
std::int64_t rangePayload(std::uint32_t iteration, const Op& op);

} // namespace engine
