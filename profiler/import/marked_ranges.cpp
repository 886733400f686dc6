#include "profiler/import/marked_ranges.h"

#include <algorithm>
#include <unordered_map>

namespace profiler {

MarkedRanges::MarkedRanges(const RankTrace& trace, const Rules& rules)
    : m_onThread(trace.threads.size())
{
    std::unordered_map<std::uint32_t, const RuleMatch*> byName;
    const bool needsAll = rules.needsMoreThanNames();
    const auto& strings = trace.gpu.strings;
    for (const HostRange& range : trace.ranges) {
        auto known = byName.find(range.name);
        if (known == byName.end() || needsAll) {
            const auto match
                = rules.ofRange({strings[range.name], strings[range.category],
                                 trace.threads[range.thread], strings[range.arguments]});
            if (match)
                m_matches.push_back(std::make_unique<const RuleMatch>(*match));
            known = byName.insert_or_assign(range.name, match ? m_matches.back().get() : nullptr)
                        .first;
        }
        if (known->second != nullptr)
            m_marks.push_back({range, known->second});
    }
    std::ranges::stable_sort(m_marks, {}, [](const Mark& mark) { return mark.range.window.begin; });
    for (std::uint32_t i = 0; i < m_marks.size(); ++i)
        m_onThread[m_marks[i].range.thread].add(m_marks[i].range.window, i);
    std::vector<std::uint32_t> counts(m_onThread.size(), 0);
    for (const Mark& mark : m_marks)
        if (counts[mark.range.thread]++ == 0)
            m_busiest.push_back(mark.range.thread);
    std::ranges::stable_sort(m_busiest, std::ranges::greater(),
                             [&](std::uint32_t thread) { return counts[thread]; });
    constexpr std::size_t kMostThreads = 64;
    m_busiest.resize(std::min(m_busiest.size(), kMostThreads));
    for (NestedRanges& ranges : m_onThread)
        ranges.sort();
}

} // namespace profiler
