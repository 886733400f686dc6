#include "engine/exec/execution_order.h"

#include "engine/sim/simulate.h"

#include <algorithm>
#include <tuple>

namespace engine {
namespace {

// Of ops at the same time that take none: a message is sent, then received, then used.
int rank(Track::Kind kind)
{
    switch (kind) {
    case Track::Kind::Send:
        return 0;
    case Track::Kind::Receive:
        return 1;
    case Track::Kind::AllReduce:
        return 2;
    default:
        return 3;
    }
}

struct Start
{
    Window window;
    int rank = 0;
    std::uint32_t op = 0;

    auto key() const { return std::tuple(window.begin, window.end, rank, op); }
};

} // namespace

Result<std::vector<OpRef>> executionOrder(const Schedule& lowered, const OpCosts& costs)
{
    const auto timeline = simulate(lowered, costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    std::vector<Start> starts;
    for (const Track& track : timeline->tracks)
        for (const Span& span : track.spans)
            starts.push_back({span.window(), rank(track.kind), span.op});
    std::ranges::sort(starts, {}, &Start::key);

    const OpIndex index(lowered);
    std::vector<OpRef> order;
    order.reserve(starts.size());
    for (const Start& start : starts)
        order.push_back({index.deviceOf(start.op), index.positionOf(start.op), start.op});
    return order;
}

} // namespace engine
