#include "profiler/import/classify/gpu_items.h"

#include <algorithm>

namespace profiler {

using engine::GpuCall;

GpuItems::GpuItems(const RankTrace& trace, const Rules& rules, ClassifiedRank& result)
{
    std::vector<const GpuCall*> calls; // by correlation
    for (const GpuCall& call : trace.gpu.calls)
        if (call.correlation != 0)
            calls.push_back(&call);
    std::ranges::stable_sort(calls, {}, &GpuCall::correlation);
    const auto add = [&](const auto& rows, Match::Of of, std::vector<std::uint32_t>& works) {
        works.assign(rows.size(), ClassifiedRank::kNoWork);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            m_items.push_back(
                {{rows[i].window, of, static_cast<std::uint32_t>(i)}, std::nullopt, &works[i]});
            const std::uint32_t wanted = rows[i].place.correlation; // no call has correlation 0
            const auto call = std::ranges::lower_bound(calls, wanted, {}, &GpuCall::correlation);
            if (call != calls.end() && (*call)->correlation == wanted)
                m_items.back().call = **call;
        }
    };
    add(trace.gpu.kernels, Match::Of::Kernel, result.ofKernel);
    add(trace.gpu.copies, Match::Of::Copy, result.ofCopy);
    add(trace.gpu.memsets, Match::Of::Memset, result.ofMemset);
    for (std::uint32_t i = 0; i < trace.gpu.kernels.size(); ++i) {
        const std::uint32_t name = trace.gpu.kernels[i].name;
        auto known = m_rules.find(name);
        if (known == m_rules.end())
            known = m_rules.emplace(name, rules.ofKernel(trace.text(name))).first;
        m_items[i].match.name = name;
        m_items[i].kernelRule = known->second ? &*known->second : nullptr;
        for (auto [each, end] = trace.nccl.equal_range(i); each != end; ++each)
            m_items[i].nccl.push_back(&each->second);
    }
    std::ranges::stable_sort(m_items, {}, &GpuItem::launch);
}

} // namespace profiler
