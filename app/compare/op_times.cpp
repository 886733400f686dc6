#include "app/compare/op_times.h"

#include "engine/base/median.h"

#include <algorithm>

namespace app {

std::optional<double> OpTimes::median(engine::OpKind kind) const
{
    if (of[kind].empty())
        return std::nullopt;
    std::vector<std::int64_t> copy = of[kind];
    return static_cast<double>(engine::medianOf(copy));
}

OpTimes opTimes(const engine::Run& run, int iteration)
{
    OpTimes times;
    if (iteration < 0)
        return times;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks)
        for (const engine::Span& span : track.spans)
            if (static_cast<int>(span.iteration) == iteration)
                times.of[engine::opAt(run.schedule, index, span.op).kind].push_back(span.end
                                                                                    - span.begin);
    for (auto& durations : times.of)
        std::ranges::sort(durations);
    return times;
}

} // namespace app
