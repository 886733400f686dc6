#include "profiler/analysis/windows.h"

#include <algorithm>
#include <span>

namespace profiler {

using engine::Span;
using engine::Window;

Windows subtract(const Windows& whole, const Windows& holes)
{
    Windows rest;
    auto hole = holes.begin();
    for (Window w : whole) {
        while (hole != holes.end() && hole->end <= w.begin)
            ++hole;
        for (auto h = hole; h != holes.end() && h->begin < w.end; ++h) {
            if (w.begin < h->begin)
                rest.push_back({w.begin, h->begin});
            w.begin = std::min(h->end, w.end);
        }
        if (w.duration() > 0)
            rest.push_back(w);
    }
    return rest;
}

Windows clip(const Windows& windows, Window to)
{
    Windows clipped;
    const auto first
        = std::ranges::upper_bound(windows, to.begin, {}, [](Window w) { return w.end; });
    for (const Window w : std::span(first, windows.end())) {
        if (w.begin >= to.end)
            break;
        const Window part{std::max(w.begin, to.begin), std::min(w.end, to.end)};
        if (part.duration() > 0)
            clipped.push_back(part);
    }
    return clipped;
}

std::int64_t length(const Windows& windows)
{
    std::int64_t sum = 0;
    for (const Window w : windows)
        sum += w.duration();
    return sum;
}

bool contains(const Windows& windows, std::int64_t time)
{
    const auto next = std::ranges::upper_bound(windows, time, {}, &Window::begin);
    return next != windows.begin() && time < std::prev(next)->end;
}

Window withSpan(Window op, const Span& span)
{
    return {span.begin - (op == kNotRun ? 0 : op.duration()), span.end};
}

} // namespace profiler
