#pragma once

#include "profiler/import/classify/classify.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace profiler {

// A kernel, copy or memset.
struct GpuItem
{
    Match match;
    std::optional<engine::GpuCall> call; // that launched it
    std::uint32_t* work = nullptr; // its entry in ClassifiedRank::ofKernel, ofCopy or ofMemset
    const RuleMatch* kernelRule = nullptr; // the rule for kernels that matches its name
    // The arguments of a kernel of NCCL, of each message if it executes several; empty if unknown.
    std::vector<const NcclArguments*> nccl = {};

    // ns; the time of the launch or, if that is unknown, the start
    std::int64_t launch() const { return call ? call->window.begin : match.window.begin; }
};

// The GPU work of a rank.
class GpuItems
{
public:
    // `trace` and `result` must outlive this object. Sizes the lists of `result` that the items
    // refer to; no item has a work yet.
    GpuItems(const RankTrace& trace, const Rules& rules, ClassifiedRank& result);

    const std::vector<GpuItem>& inOrder() const { return m_items; } // of launches

private:
    std::unordered_map<std::uint32_t, std::optional<RuleMatch>> m_rules; // by name of a kernel
    std::vector<GpuItem> m_items;
};

} // namespace profiler
