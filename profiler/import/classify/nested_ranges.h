#pragma once

#include "engine/timeline/timeline.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace profiler {

// The ranges of one host thread, which nest. The caller chooses the ids.
class NestedRanges
{
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    void add(engine::Window window, std::uint32_t id) { m_ranges.push_back({window, id, kNone}); }
    // Call it once, after the last add().
    void sort()
    {
        std::ranges::stable_sort(m_ranges, [](const Range& a, const Range& b) {
            return a.window.begin != b.window.begin ? a.window.begin < b.window.begin
                                                    : a.window.end > b.window.end;
        });
        std::vector<std::uint32_t> open;
        for (std::uint32_t i = 0; i < m_ranges.size(); ++i) {
            while (!open.empty() && m_ranges[open.back()].window.end <= m_ranges[i].window.begin)
                open.pop_back();
            m_ranges[i].parent = open.empty() ? kNone : open.back();
            open.push_back(i);
        }
    }
    // The id of the innermost range that contains `time` and that `accept(id)` accepts; kNone if
    // there is no such range.
    template<class Accept>
    std::uint32_t innermost(std::int64_t time, Accept accept) const
    {
        const auto next = std::ranges::upper_bound(
            m_ranges, time, {}, [](const Range& range) { return range.window.begin; });
        if (next == m_ranges.begin())
            return kNone;
        auto at = static_cast<std::uint32_t>(next - m_ranges.begin() - 1);
        for (; at != kNone; at = m_ranges[at].parent)
            if (time <= m_ranges[at].window.end && accept(m_ranges[at].id))
                return m_ranges[at].id;
        return kNone;
    }

private:
    struct Range
    {
        engine::Window window;
        std::uint32_t id = 0, parent = kNone;
    };
    std::vector<Range> m_ranges;
};

} // namespace profiler
