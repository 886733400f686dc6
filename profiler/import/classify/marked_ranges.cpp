#include "profiler/import/classify/marked_ranges.h"

#include <algorithm>

namespace profiler {

MarkedRanges::MarkedRanges(const RankTrace& trace, const Rules& rules)
    : m_onThread(trace.threads.size())
{
    struct Found
    {
        bool isKnown = false;
        const RuleMatch* match = nullptr;
    };
    std::vector<Found> byName(trace.texts->size());
    const bool needsAll = rules.needsMoreThanNames();
    for (const HostRange& range : trace.ranges) {
        Found& known = byName[range.name];
        if (!known.isKnown || needsAll) {
            const auto match
                = rules.ofRange({trace.text(range.name), trace.text(range.category),
                                 trace.threads[range.thread], trace.text(range.arguments)});
            if (match)
                m_matches.push_back(std::make_unique<const RuleMatch>(*match));
            known = {true, match ? m_matches.back().get() : nullptr};
        }
        if (known.match != nullptr)
            m_marks.push_back({range, known.match});
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
