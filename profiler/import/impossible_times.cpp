#include "engine/base/median.h"
#include "engine/timeline/kernel_name.h"
#include "profiler/analysis/measure.h"
#include "profiler/import/rank_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

constexpr std::size_t kFewestCalls = 10; // fewer do not show the unit of a trace
// Clocks of a host and its GPUs, and calls of several threads, differ less.
constexpr std::int64_t kClocks = 1'000'000; // ns

// Removes the rows that `isBad(row)` names. The arguments of NCCL's kernels keep their kernels.
template<class Row, class Bad>
void removeRows(RankTrace& trace, std::vector<Row>& rows, const Bad& isBad)
{
    if (std::ranges::none_of(rows, isBad))
        return;
    std::uint32_t kept = 0;
    std::vector<std::uint32_t> newIndex(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        newIndex[i] = kept;
        if (isBad(rows[i])) {
            newIndex[i] = 0xFFFFFFFF;
            ++trace.unreadable;
        } else if (kept++ < i) {
            rows[kept - 1] = std::move(rows[i]);
        }
    }
    rows.resize(kept);
    if constexpr (std::is_same_v<Row, GpuKernel>) {
        std::multimap<std::uint32_t, NcclArguments> nccl;
        for (const auto& [kernel, arguments] : trace.nccl)
            if (newIndex[kernel] != 0xFFFFFFFF)
                nccl.emplace(newIndex[kernel], arguments);
        trace.nccl = std::move(nccl);
    }
}

// The time in which nearly all events of the trace begin. Empty if there are few events.
Window usualTime(RankTrace& trace)
{
    std::vector<std::int64_t> begins; // of a sample of each kind
    forAllRows(trace, [&](const auto& rows) {
        constexpr std::size_t kSample = 10'000;
        for (std::size_t i = 0; i < rows.size(); i += 1 + rows.size() / kSample)
            begins.push_back(rows[i].window.begin);
    });
    constexpr std::size_t kFewest = 20, kRare = 20; // one event of 20 may be far away
    if (begins.size() < kFewest)
        return {};
    const auto at = [&](std::size_t index) {
        std::ranges::nth_element(begins, begins.begin() + static_cast<std::ptrdiff_t>(index));
        return begins[index];
    };
    const std::int64_t first = at(begins.size() / kRare);
    return {first, at(begins.size() - 1 - begins.size() / kRare) + 1};
}

void leaveOutFarEvents(RankTrace& trace)
{
    const Window usual = usualTime(trace);
    if (usual.duration() == 0)
        return;
    constexpr std::int64_t kSecond = 1'000'000'000, kTimes = 10;
    const std::int64_t far = kTimes * (usual.duration() + kSecond);
    const auto isFar = [&](const auto& row) {
        return row.window.begin < usual.begin - far || row.window.begin > usual.end + far;
    };
    forAllRows(trace, [&](auto& rows) { removeRows(trace, rows, isFar); });
    // GPU work follows its call soon. The last work of a stream has no later work that shows it.
    std::int64_t end = usual.end; // of the work that is not late
    forAllRows(trace, [&](const auto& rows) {
        for (const auto& row : rows)
            if (row.window.begin <= usual.end)
                end = std::max(end, row.window.begin);
    });
    const auto isLate = [&](const auto& row) { return row.window.begin > end + usual.duration(); };
    forGpuWork(trace.gpu, [&](auto& rows) { removeRows(trace, rows, isLate); });
}

// If much of the work begins before its call, the clocks of the GPU and of the host differ, and all
// of it is kept.
void leaveOutEarlyWork(RankTrace& trace)
{
    auto calls = callsOf(trace);
    const auto isEarly = [&](const auto& row) {
        const auto* const call = calls.find(row.place.correlation);
        return call != nullptr && row.window.begin + kClocks < (*call)->window.begin;
    };
    std::ptrdiff_t early = 0, all = 0;
    forGpuWork(trace.gpu, [&](const auto& rows) {
        early += std::ranges::count_if(rows, isEarly);
        all += std::ssize(rows);
    });
    constexpr std::ptrdiff_t kRare = 4;
    if (early > 0 && kRare * early <= all)
        forGpuWork(trace.gpu, [&](auto& rows) { removeRows(trace, rows, isEarly); });
}

using CallAndBegin = std::pair<std::int64_t, std::int64_t>; // ns

// The works of a stream, sorted by their calls, that are not in the longest sequence whose begins
// ascend, and that begin at another time than their place in this sequence permits.
std::vector<CallAndBegin> outOfOrder(const std::vector<CallAndBegin>& works)
{
    std::vector<std::int64_t> ends;                // by length: least last begin of such a sequence
    std::vector<std::size_t> length(works.size()); // of the longest sequence that ends with a work
    for (std::size_t i = 0; i < works.size(); ++i) {
        const auto place = std::ranges::upper_bound(ends, works[i].second);
        length[i] = static_cast<std::size_t>(place - ends.begin());
        if (place == ends.end())
            ends.push_back(works[i].second);
        else
            *place = works[i].second;
    }
    std::vector<CallAndBegin> found;
    std::int64_t next = std::numeric_limits<std::int64_t>::max(); // begin of the next in the order
    std::size_t wanted = ends.size();
    for (std::size_t i = works.size(); i-- > 0;) {
        const std::int64_t begin = works[i].second;
        const std::int64_t before = wanted > 0 ? ends[wanted - 1] : begin;
        if (wanted > 0 && length[i] + 1 == wanted && begin <= next) {
            next = begin;
            --wanted;
        } else if (begin - kClocks > next || begin + kClocks < before) {
            found.push_back(works[i]);
        }
    }
    return found;
}

// A stream executes its work in the order of the calls. If much of the work is not in this order,
// all of it is kept.
void leaveOutOfOrder(RankTrace& trace)
{
    auto calls = callsOf(trace);
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::vector<CallAndBegin>>
        streams;
    forGpuWork(trace.gpu, [&](const auto& rows) {
        for (const auto& row : rows)
            if (const auto* const call = calls.find(row.place.correlation))
                streams[{row.place.device, row.place.context, row.place.stream}].emplace_back(
                    (*call)->window.begin, row.window.begin);
    });
    std::set<CallAndBegin> wrong;
    for (auto& [stream, works] : streams) {
        std::ranges::sort(works);
        constexpr std::ptrdiff_t kRare = 4;
        const std::vector<CallAndBegin> found = outOfOrder(works);
        if (kRare * std::ssize(found) <= std::ssize(works))
            wrong.insert(found.begin(), found.end());
    }
    if (wrong.empty())
        return;
    const auto isWrong = [&](const auto& row) {
        const auto* const call = calls.find(row.place.correlation);
        return call != nullptr && wrong.contains({(*call)->window.begin, row.window.begin});
    };
    forGpuWork(trace.gpu, [&](auto& rows) { removeRows(trace, rows, isWrong); });
}

// CUDA executes the kernels of a graph on streams of its own, but records the stream of its launch:
// such kernels have one correlation, and some may run at the same time.
void endAtNextWork(RankTrace& trace)
{
    struct Item
    {
        Window* window;
        const GpuPlace* place;
    };
    const auto streamOf = [](const Item& item) {
        return std::tuple(item.place->device, item.place->context, item.place->stream);
    };
    std::vector<Item> items;
    forGpuWork(trace.gpu, [&](auto& rows) {
        for (auto& row : rows)
            items.push_back({&row.window, &row.place});
    });
    const auto order = [&](const Item& item) {
        return std::tuple(streamOf(item), item.window->begin, item.window->end);
    };
    if (!std::ranges::is_sorted(items, {}, order))
        std::ranges::sort(items, {}, order);
    constexpr std::int64_t kRounding = 1000; // ns; some programs write microseconds
    std::vector<std::size_t> open; // earlier work of the stream that has not ended, as indices
    std::vector<std::pair<Window*, std::int64_t>> contradicted; // and where the next work begins
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0 && streamOf(items[i]) != streamOf(items[i - 1]))
            open.clear();
        const Window window = *items[i].window;
        std::erase_if(open, [&](std::size_t earlier) {
            const Item& item = items[earlier];
            const std::uint32_t launch = item.place->correlation;
            const bool isContradicted = window.end + kRounding < item.window->end
                && (launch == 0 || launch != items[i].place->correlation);
            if (isContradicted)
                contradicted.emplace_back(item.window, items[earlier + 1].window->begin);
            return isContradicted || item.window->end <= window.begin;
        });
        open.push_back(i);
    }
    for (const auto& [window, next] : contradicted)
        window->end = next;
    for (const auto& [window, next] : contradicted)
        trace.shortened.push_back(window->begin);
}

// The end of the last work of a stream is not contradicted by later work. Only a message waits
// long.
void leaveOutEndless(RankTrace& trace)
{
    const std::int64_t usual = usualTime(trace).duration();
    constexpr std::int64_t kTimes = 10;
    removeRows(trace, trace.gpu.kernels, [&](const GpuKernel& kernel) {
        return usual > 0 && kernel.window.duration() / kTimes > usual
            && !communicates(trace.text(kernel.name));
    });
}

// A kernel takes time, and a trace that has parts of a microsecond shows it.
void leaveOutTimeless(RankTrace& trace)
{
    constexpr std::int64_t kMicrosecond = 1000; // ns
    auto& kernels = trace.gpu.kernels;
    const auto isWhole
        = [](const GpuKernel& kernel) { return kernel.window.duration() % kMicrosecond == 0; };
    if (!std::ranges::all_of(kernels, isWhole))
        removeRows(trace, kernels,
                   [](const GpuKernel& kernel) { return kernel.window.duration() == 0; });
}

// Much of the work of a GPU begins before its call, and the work lasts much shorter in all than its
// calls, which it follows.
bool hasShortKernels(const RankTrace& trace)
{
    auto calls = callsOf(trace);
    std::vector<Window> pairs; // from a call to its kernel
    for (const GpuKernel& kernel : trace.gpu.kernels)
        if (const auto* const call = calls.find(kernel.place.correlation))
            pairs.push_back({(*call)->window.begin, kernel.window.begin});
    if (pairs.size() < kFewestCalls)
        return false;
    const auto extent = [&](std::int64_t Window::*time) {
        const auto [first, last] = std::ranges::minmax(pairs, {}, time);
        return last.*time - first.*time;
    };
    constexpr std::int64_t kOften = 4;
    const std::int64_t called = extent(&Window::begin);
    const auto isEarly
        = [&](const Window& pair) { return kOften * (pair.begin - pair.end) > called; };
    return std::ranges::any_of(pairs, isEarly) && kOften * extent(&Window::end) < called;
}

// The kernels that end after a call that waited for them, because their times have another unit.
std::ptrdiff_t endAfterWait(const RankTrace& trace)
{
    const GpuCall* wait = nullptr; // the last one
    for (const GpuCall& call : trace.gpu.calls)
        if (trace.text(call.name).find("DeviceSynchronize") != std::string::npos
            && (wait == nullptr || call.window.begin > wait->window.begin))
            wait = &call;
    if (wait == nullptr)
        return 0;
    auto calls = callsOf(trace);
    const std::int64_t late = wait->window.end + std::max(kClocks, wait->window.duration());
    return std::ranges::count_if(trace.gpu.kernels, [&](const GpuKernel& kernel) {
        const auto* const call = calls.find(kernel.place.correlation);
        return call != nullptr && (*call)->window.begin < wait->window.begin
            && kernel.window.end > late;
    });
}

} // namespace

ByCorrelation<const GpuCall*> callsOf(const RankTrace& trace)
{
    ByCorrelation<const GpuCall*> calls;
    for (const GpuCall& call : trace.gpu.calls)
        if (call.correlation != 0)
            calls.add(call.correlation, &call);
    calls.sort();
    return calls;
}

bool launchesKernel(std::string_view call)
{
    return call.find("LaunchKernel") != std::string_view::npos
        || call.find("LaunchCooperativeKernel") != std::string_view::npos
        || call.find("GraphLaunch") != std::string_view::npos;
}

Result<void> checkUnit(const RankTrace& trace)
{
    std::vector<Window> calls;
    for (const GpuCall& call : trace.gpu.calls)
        if (launchesKernel(trace.text(call.name)))
            calls.push_back(call.window);
    const bool isExport = std::string_view(trace.unit) == "ns";
    const auto fault = [&](const std::string& what, const char* unit = "ns") {
        return invalid("{}: {}, as if times were {}", trace.file, what,
                       isExport ? std::string("not in ns; record or export it again")
                                : fmt::format("in {}; convert them to µs", unit));
    };
    // No GPU executes a kernel in less than some 500 ns, and most calls that launch one take some
    // µs.
    constexpr std::int64_t kLongCall = 1'000'000; // ns
    std::vector<std::int64_t> kernels, launches;
    for (const GpuKernel& kernel : trace.gpu.kernels)
        kernels.push_back(kernel.window.duration());
    for (const Window& call : calls)
        launches.push_back(call.duration());
    for (const auto& [durations, what] :
         {std::pair(&kernels, "kernels"), std::pair(&launches, "calls that launch a kernel")})
        if (durations->size() >= kFewestCalls && medianOf(*durations) < kShortest)
            return fault(
                fmt::format("half of the {} last {} ns or less", what, medianOf(*durations)),
                "ms or s");
    if (calls.size() < kFewestCalls)
        return {};
    if (hasShortKernels(trace))
        return fault("the kernels last much shorter in all than the calls that launch them",
                     "ms or s");
    const std::int64_t least = std::ranges::min(calls, {}, &Window::duration).duration();
    if (least >= kLongCall)
        return fault(fmt::format("every call that launches a kernel lasts {} or longer",
                                 timeText(least, 1)));
    constexpr std::ptrdiff_t kMost = 20; // one of 20 kernels may be damaged
    const std::ptrdiff_t all = std::ssize(kernels);
    if (const auto after = endAfterWait(trace); kMost * after > all)
        return fault(
            fmt::format("{} of {} kernels end after the call that waits for them", after, all),
            "another unit");
    // No GPU executes a kernel in less than some 500 ns, but old programs write whole microseconds.
    constexpr std::ptrdiff_t kFew = 5, kRare = 100;
    const auto brief = std::ranges::count_if(
        kernels, [](std::int64_t time) { return time > 0 && time < 3 * kShortest; });
    if (brief >= kFew && kRare * brief > all)
        return fault(
            fmt::format("{} of {} kernels last less than {} ns", brief, all, 3 * kShortest),
            "another unit");
    const std::int64_t begin = std::ranges::min(calls, {}, &Window::begin).begin;
    std::int64_t end = std::ranges::max(calls, {}, &Window::end).end; // of the host's events
    for (const HostRange& range : trace.ranges)
        end = std::max(end, range.window.end);
    constexpr std::int64_t kOften = 4;
    const auto late = std::ranges::count_if(trace.gpu.kernels, [&](const GpuKernel& kernel) {
        return kernel.window.begin > end && kernel.window.begin - begin > kOften * (end - begin);
    });
    if (2 * late > all)
        return fault("most kernels begin long after the calls that launch them");
    return {};
}

void leaveOutImpossible(RankTrace& trace)
{
    leaveOutFarEvents(trace);
    leaveOutEarlyWork(trace);
    leaveOutOfOrder(trace);
    endAtNextWork(trace);
    leaveOutEndless(trace);
    leaveOutTimeless(trace);
}

} // namespace profiler
