#include "engine/timeline/nvtx_range.h"

#include "engine/schedule/notation.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::uint32_t kForward = 0xFF315AC2, kBackward = 0xFF23AA9C, kWeight = 0xFFFEBD29,
                        kCommunication = 0xFFA62463, kOptimizer = 0xFF621F02;

constexpr EnumArray<OpKind, RangeCategory, kOpKinds> kCategories{{{
    {1, "F", kForward},
    {4, "B", kBackward},
    {2, "I", kBackward},
    {3, "W", kWeight},
    {5, "SEND", kCommunication},
    {6, "RECV", kCommunication},
    {5, "SEND", kCommunication},
    {6, "RECV", kCommunication},
    {9, "EVICT", kCommunication},
    {10, "LOAD", kCommunication},
    {11, "RECOMPUTE", kForward},
    {8, "ALLREDUCE", kCommunication},
    {7, "OPT", kOptimizer},
}}};

} // namespace

const RangeCategory& rangeCategory(OpKind kind)
{
    return kCategories[kind];
}

std::vector<RangeCategory> rangeCategories()
{
    std::vector<RangeCategory> all;
    for (const RangeCategory& category : kCategories)
        if (std::ranges::find(all, category.id, &RangeCategory::id) == all.end())
            all.push_back(category);
    return all;
}

std::string rangeText(const Op& op)
{
    return "PP:" + toString(op);
}

std::int64_t rangePayload(std::uint32_t iteration, const Op& op)
{
    return std::int64_t{iteration} << 32 | static_cast<std::uint32_t>(op.microBatch.value);
}

} // namespace engine
