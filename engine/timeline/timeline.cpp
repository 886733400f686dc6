#include "engine/timeline/timeline.h"

#include <algorithm>

namespace engine {

Track::Kind laneOf(OpKind kind)
{
    switch (kind) {
    case OpKind::SendActivation:
    case OpKind::SendGradient:
        return Track::Kind::Send;
    case OpKind::RecvActivation:
    case OpKind::RecvGradient:
        return Track::Kind::Receive;
    case OpKind::AllReduce:
    case OpKind::Unshard:
    case OpKind::Reshard:
        return Track::Kind::AllReduce;
    case OpKind::Evict:
    case OpKind::Load:
        return Track::Kind::Copy;
    default:
        return Track::Kind::Compute;
    }
}

std::string_view memoryCategoryName(MemoryCategory category)
{
    static constexpr EnumArray<MemoryCategory, std::string_view, kMemoryCategories> kNames{
        "weights", "gradients", "optimizer state", "stash", "buffers", "unknown"};
    return kNames[category];
}

std::vector<Window> unite(std::vector<Window> windows)
{
    const auto earlier = [](Window a, Window b) { return a.begin < b.begin; };
    if (!std::is_sorted(windows.begin(), windows.end(), earlier))
        std::sort(windows.begin(), windows.end(), earlier);
    std::vector<Window> united;
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

std::vector<KernelTimes> unite(std::vector<KernelTimes> kernels)
{
    for (KernelTimes& each : kernels)
        each = {unite(std::move(each.compute)), unite(std::move(each.communication))};
    return kernels;
}

Window Timeline::extent() const
{
    const bool onlyReplays = std::ranges::all_of(
        iterations, [](const Iteration& i) { return i.kind == Iteration::Kind::Replay; });
    Window extent;
    bool first = true;
    for (const Iteration& iteration : iterations) {
        if (iteration.kind == Iteration::Kind::Replay && !onlyReplays)
            continue;
        extent.begin
            = first ? iteration.window.begin : std::min(extent.begin, iteration.window.begin);
        extent.end = first ? iteration.window.end : std::max(extent.end, iteration.window.end);
        first = false;
    }
    return extent;
}

const Track* Timeline::track(DeviceId device, Track::Kind kind) const
{
    const auto found = std::ranges::find_if(tracks, [device, kind](const Track& track) {
        return track.device == device && track.kind == kind;
    });
    return found == tracks.end() ? nullptr : &*found;
}

int reportedIteration(const Timeline& timeline)
{
    const auto& iterations = timeline.iterations;
    std::vector<std::int64_t> durations;
    for (const Iteration& one : iterations)
        if (one.kind == Iteration::Kind::Measured)
            durations.push_back(one.window.duration());
    int reported = static_cast<int>(std::ssize(iterations)) - 1;
    if (durations.empty())
        return reported;
    const auto middle = durations.begin() + (std::ssize(durations) - 1) / 2;
    std::ranges::nth_element(durations, middle);
    while (iterations[reported].kind != Iteration::Kind::Measured
           || iterations[reported].window.duration() != *middle)
        --reported;
    return reported;
}

namespace {

constexpr EnumArray<Track::Kind, std::string_view, kLaneKinds> kLanes{"compute", "send", "receive",
                                                                      "all-reduce", "copy"};
constexpr EnumArray<Iteration::Kind, std::string_view, 3> kIterationKinds{"warmup", "measured",
                                                                          "replay"};

} // namespace

std::string_view laneName(Track::Kind kind)
{
    return kLanes[kind];
}

std::optional<Track::Kind> laneNamed(std::string_view name)
{
    return kLanes.find(name);
}

std::string_view iterationKindName(Iteration::Kind kind)
{
    return kIterationKinds[kind];
}

std::optional<Iteration::Kind> iterationKindNamed(std::string_view name)
{
    return kIterationKinds.find(name);
}

} // namespace engine
