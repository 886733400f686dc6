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

std::size_t SpanIndex::endedBefore(std::int64_t time, std::size_t from) const
{
    const std::size_t block = gallop(from / kBlock, m_latestEnd.size(),
                                     [&](std::size_t at) { return m_latestEnd[at] < time; });
    return std::min(block * kBlock, m_spans.size());
}

std::span<const Span> SpanIndex::around(Window window) const
{
    const auto rest = m_spans.subspan(endedBefore(window.begin));
    const auto first = std::ranges::find_if(
        rest, [window](const Span& span) { return span.end >= window.begin; });
    const auto open = rest.last(rest.end() - first);
    return open.first(
        gallop(0, open.size(), [&](std::size_t at) { return open[at].begin <= window.end; }));
}

} // namespace engine
