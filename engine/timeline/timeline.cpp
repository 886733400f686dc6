#include "engine/timeline/timeline.h"

#include <algorithm>
#include <array>

namespace engine {

std::string_view memoryCategoryName(MemoryCategory category)
{
    static constexpr EnumArray<MemoryCategory, std::string_view, kMemoryCategories> kNames{
        "weights", "gradients", "optimizer state", "stash", "buffers"};
    return kNames[category];
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
    const auto lastOf = [&timeline](Iteration::Kind kind) {
        const auto& iterations = timeline.iterations;
        int i = std::ssize(iterations) - 1;
        while (i >= 0 && iterations[i].kind != kind)
            --i;
        return i;
    };
    for (const auto kind : {Iteration::Kind::Replay, Iteration::Kind::Measured})
        if (const int found = lastOf(kind); found >= 0)
            return found;
    return std::ssize(timeline.iterations) - 1;
}

} // namespace engine
