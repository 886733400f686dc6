#include "engine/timeline/nvtx_range.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

#include <algorithm>

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
    {12, "UNSHARD", kCommunication},
    {13, "RESHARD", kCommunication},
}}};

// nullptr if sail-sg's schedules have no such op.
const char* sailName(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return "F";
    case OpKind::Backward:
    case OpKind::BackwardInput:
        return "B";
    case OpKind::BackwardWeight:
        return "W";
    case OpKind::Recompute:
        return "R";
    case OpKind::SendActivation:
        return "SEND_FORWARD.";
    case OpKind::RecvActivation:
        return "RECV_FORWARD.";
    case OpKind::SendGradient:
        return "SEND_BACKWARD.";
    case OpKind::RecvGradient:
        return "RECV_BACKWARD.";
    default:
        return nullptr;
    }
}

// The index of the stage among the stages of its device. The stages of the up replica follow those
// of the down replica.
int chunkOf(const Op& op, const Shape& shape)
{
    return op.stage.value / shape.devices + op.replica * (shape.stages / shape.devices);
}

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

NvtxGrammar nvtxGrammarNamed(std::string_view name)
{
    return name == nvtxGrammarName(NvtxGrammar::SailSg) ? NvtxGrammar::SailSg
                                                        : NvtxGrammar::Bubblescope;
}

std::string rangeName(const Op& op)
{
    std::string name = toString(op);
    if (usesHost(op))
        name.insert(name.find_last_of("TD") + 1, "_HOST"); // after EVICT or LOAD
    return name;
}

std::string rangeText(const Op& op, const Shape& shape, NvtxGrammar grammar)
{
    if (grammar == NvtxGrammar::SailSg && op.kind == OpKind::OptimizerStep)
        return "Optimizer";
    const char* const name = grammar == NvtxGrammar::SailSg ? sailName(op.kind) : nullptr;
    if (name == nullptr)
        return "PP:" + rangeName(op);
    return fmt::format("{}{}.{}.{}", name, op.microBatch.value, chunkOf(op, shape),
                       op.slice == Op::kWhole ? 0 : op.slice);
}

std::int64_t rangePayload(std::uint32_t iteration, const Op& op)
{
    return std::int64_t{iteration} << 32 | static_cast<std::uint32_t>(op.microBatch.value);
}

} // namespace engine
