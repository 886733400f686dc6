#include "profiler/analysis/windows.h"

#include <algorithm>

namespace profiler {

using engine::Span;
using engine::Window;

Windows unite(std::vector<Window> windows)
{
    const auto earlier = [](Window a, Window b) { return a.begin < b.begin; };
    if (!std::is_sorted(windows.begin(), windows.end(), earlier))
        std::sort(windows.begin(), windows.end(), earlier);
    Windows united;
    for (const Window w : windows) {
        if (w.duration() <= 0)
            continue;
        if (!united.empty() && w.begin <= united.back().end)
            united.back().end = std::max(united.back().end, w.end);
        else
            united.push_back(w);
    }
    return united;
}

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
    for (const Window w : windows) {
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
