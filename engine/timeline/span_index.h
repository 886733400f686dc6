#pragma once

#include "engine/timeline/timeline.h"

#include <algorithm>
#include <cstddef>

namespace engine {

// The first index of [from, size) for which `isBefore` is false; size if there is none. `isBefore`
// must be monotonic. Searches with doubling steps, because the result is usually near `from`.
template<class IsBefore>
std::size_t gallop(std::size_t from, std::size_t size, IsBefore isBefore)
{
    std::size_t first = from, last = from; // the result is in [first, last]
    for (std::size_t step = 1; last < size && isBefore(last); step *= 2) {
        first = last + 1;
        last += step;
    }
    last = std::min(last, size);
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (isBefore(middle))
            first = middle + 1;
        else
            last = middle;
    }
    return last;
}

// Finds the spans of a track around a window by binary search. Spans are sorted by start, but their
// ends need not ascend: a long transfer over one link may end after several short transfers over
// another. Therefore the latest end of every block of kBlock spans is stored (1/2 byte per span).
class SpanIndex
{
public:
    SpanIndex() = default;
    explicit SpanIndex(std::span<const Span> spans); // `spans` must outlive the index

    // From the first span that ends at window.begin or later to the last that begins at window.end
    // or earlier. No other span touches the window. If transfers overlap, spans that ended before
    // the window may be included, so test each one with Window::intersects().
    std::span<const Span> around(Window window) const;
    // The first index of the first block with a span that ends at `time` or later. All spans before
    // this index end before `time`. `from`: the result for an earlier or equal `time`.
    std::size_t endedBefore(std::int64_t time, std::size_t from = 0) const;
    std::span<const Span> spans() const { return m_spans; }

    static constexpr std::size_t kBlock = 16;

private:
    std::span<const Span> m_spans;
    // The latest end of all spans up to the end of each block.
    std::vector<std::int64_t> m_latestEnd;
};

} // namespace engine
