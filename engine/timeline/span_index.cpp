#include "engine/timeline/span_index.h"

#include <algorithm>

namespace engine {

SpanIndex::SpanIndex(std::span<const Span> spans)
    : m_spans(spans)
{
    m_latestEnd.reserve(spans.size() / kBlock + 1);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i % kBlock == 0)
            m_latestEnd.push_back(i == 0 ? spans[i].end : m_latestEnd.back());
        m_latestEnd.back() = std::max(m_latestEnd.back(), spans[i].end);
    }
}

std::span<const Span> SpanIndex::around(Window window) const
{
    const auto block = std::ranges::lower_bound(m_latestEnd, window.begin);
    const auto before = static_cast<std::size_t>(block - m_latestEnd.begin()) * kBlock;
    const auto rest = m_spans.subspan(std::min(before, m_spans.size()));
    const auto first = std::ranges::find_if(
        rest, [window](const Span& span) { return span.end >= window.begin; });
    return begunBy(window.end, rest.last(static_cast<std::size_t>(rest.end() - first)));
}

// In steps that double: what is asked for is near, and a search of the whole track leaves the
// cache.
std::span<const Span> SpanIndex::begunBy(std::int64_t time, std::span<const Span> from)
{
    std::size_t reach = 1;
    while (reach < from.size() && from[reach].begin <= time)
        reach *= 2;
    const auto near = from.first(std::min(reach, from.size()));
    return {near.begin(), std::ranges::upper_bound(near, time, {}, &Span::begin)};
}

} // namespace engine
