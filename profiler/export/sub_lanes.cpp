#include "profiler/export/sub_lanes.h"

#include <algorithm>

namespace profiler {

std::vector<int> subLanes(const engine::Track& track)
{
    const bool nests = track.kind == engine::Track::Kind::Compute;
    std::vector<engine::Window> last; // last window of each sub-lane
    std::vector<int> lanes;
    lanes.reserve(track.spans.size());
    for (const engine::Span& span : track.spans) {
        const engine::Window window = span.window();
        const auto free = std::ranges::find_if(last, [&](engine::Window before) {
            return before.end <= window.begin || (nests && before == window);
        });
        lanes.push_back(static_cast<int>(free - last.begin()));
        if (free == last.end())
            last.push_back(window);
        else
            *free = window;
    }
    return lanes;
}

} // namespace profiler
