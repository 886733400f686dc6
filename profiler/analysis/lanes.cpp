#include "profiler/analysis/lanes.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace profiler {

using namespace engine;

Window overlap(Window a, Window b)
{
    const std::int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
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

namespace {
std::span<const Span> ofIteration(const std::vector<Span>& spans, std::uint32_t iteration)
{
    const auto begin = std::ranges::lower_bound(spans, iteration, {}, &Span::iteration);
    const auto end = std::ranges::upper_bound(spans, iteration, {}, &Span::iteration);
    return {begin, end};
}

// Merges the windows of `spans` into `windows`. Both are sorted by start, and so is the result;
// merging is much cheaper than sorting. Skips zero-length spans (messages over free links).
void addWindows(std::span<const Span> spans, std::vector<Window>& windows)
{
    const std::ptrdiff_t middle = windows.size();
    for (const Span& span : spans)
        if (span.begin < span.end)
            windows.push_back(span.window());
    std::inplace_merge(windows.begin(), windows.begin() + middle, windows.end(),
                       [](Window a, Window b) { return a.begin < b.begin; });
}
} // namespace

Lanes::Lanes(const Run& run, int iteration)
    : m_window(run.timeline.iterations[iteration].window)
    , m_spans(run.schedule.shape.devices)
    , m_before(run.schedule.shape.devices)
{
    const bool isStream = run.schedule.shape.windows > 1;
    // A median iteration was not executed.
    if (run.timeline.iterations[iteration].kind != Iteration::Kind::Replay
        && std::cmp_equal(run.timeline.kernels.size(), run.schedule.shape.devices))
        m_kernels = run.timeline.kernels;
    for (const Track& track : run.timeline.tracks) {
        const std::span<const Span> own = ofIteration(track.spans, iteration);
        m_spans[track.device][track.kind] = own;
        const auto first = own.empty()
            ? std::ranges::lower_bound(track.spans, static_cast<std::uint32_t>(iteration), {},
                                       &Span::iteration)
            : track.spans.begin() + (own.data() - track.spans.data());
        for (auto span = track.spans.begin(); isStream && span != first; ++span)
            if (span->end > m_window.begin)
                m_before[track.device][track.kind].push_back(
                    {m_window.begin, std::min(span->end, m_window.end)});
    }
}

std::span<const Span> Lanes::spans(DeviceId device, Track::Kind kind) const
{
    return m_spans[device][kind];
}

// Inserts m_before at the front of `windows`. The windows in m_before begin at the start of the
// iteration, so `windows` stays sorted.
void Lanes::addBefore(DeviceId device, Track::Kind kind, std::vector<Window>& windows) const
{
    const auto& before = m_before[device][kind];
    windows.insert(windows.begin(), before.begin(), before.end());
}

Windows Lanes::compute(DeviceId device) const
{
    if (haveKernels())
        return clip(m_kernels[device.value].compute, m_window);
    std::vector<Window> windows;
    addWindows(spans(device, Track::Kind::Compute), windows);
    addBefore(device, Track::Kind::Compute, windows);
    return clip(unite(std::move(windows)), m_window);
}

Windows Lanes::communication(DeviceId device) const
{
    if (haveKernels())
        return clip(m_kernels[device.value].communication, m_window);
    std::vector<Window> windows;
    for (const auto kind :
         {Track::Kind::Send, Track::Kind::Receive, Track::Kind::AllReduce, Track::Kind::Copy}) {
        addWindows(spans(device, kind), windows);
        addBefore(device, kind, windows);
    }
    return clip(unite(std::move(windows)), m_window);
}

Windows Lanes::exposed(DeviceId device) const
{
    return subtract(communication(device), compute(device));
}

Windows Lanes::bubble(DeviceId device) const
{
    return subtract(subtract(unite({m_window}), compute(device)), communication(device));
}

Result<int> iterationIndex(const Run& run, int iteration)
{
    const int index = iteration == -1 ? reportedIteration(run.timeline) : iteration;
    const int count = run.timeline.iterations.size();
    if (0 <= index && index < count)
        return index;
    if (count == 0)
        return fail(Error::Code::NotFound,
                    "the run has no iteration yet; wait until the first one is recorded");
    return fail(Error::Code::NotFound,
                "the run has no iteration " + std::to_string(iteration) + "; it has 0 to "
                    + std::to_string(count - 1));
}

} // namespace profiler
