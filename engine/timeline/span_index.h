#pragma once

#include "engine/timeline/timeline.h"

namespace engine {

// Finds the spans of a track around a window by binary search. Spans are in order of their begins;
// their ends need not ascend: a long transfer over one link may still be under way when several
// short ones over another have come and gone. So the latest end up to every kBlock-th span is kept
// (1/2 byte a span).
class SpanIndex
{
public:
    SpanIndex() = default;
    explicit SpanIndex(std::span<const Span> spans); // must outlive this

    // From the first span that ends at window.begin or later to the last that begins by window.end.
    // No span outside touches the window; of those inside some may, where transfers overlap, have
    // ended before it: check with Window::intersects().
    std::span<const Span> around(Window window) const;
    // A place before which every span has ended before `time`: the first of the block, kBlock spans
    // long, in which one has not. `from`: a place of which that is known.
    std::size_t endedBefore(std::int64_t time, std::size_t from = 0) const;
    std::span<const Span> spans() const { return m_spans; }

    static constexpr std::size_t kBlock = 16;

private:
    std::span<const Span> m_spans;
    std::vector<std::int64_t> m_latestEnd; // [block] of all spans up to the end of the block
};

} // namespace engine
