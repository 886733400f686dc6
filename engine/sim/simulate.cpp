#include "engine/sim/simulate.h"

#include "engine/base/check.h"
#include "engine/schedule/notation.h"
#include "engine/sim/placer.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {
namespace {

auto misfit(std::size_t device, std::size_t index, const Op& op)
{
    return fail(Error::Code::InvalidArgument,
                fmt::format("device {}, index {}: {} does not fit the schedule; validate it to "
                            "see why",
                            device, index, toString(op)));
}

// What the placer takes for granted of ops that may come from a file.
Result<void> checkOps(const Schedule& lowered)
{
    for (std::size_t d = 0; d < lowered.program.size(); ++d)
        for (std::size_t i = 0; i < lowered.program[d].size(); ++i) {
            const Op& op = lowered.program[d][i];
            const DeviceId holder
                = exists(op, lowered.shape) ? lowered.device(op.replica, op.stage) : DeviceId{};
            if (holder.value != static_cast<int>(d)
                || ((isTransfer(op.kind) || isCopy(op.kind)) && op.peer >= lowered.program.size()))
                return misfit(d, i, op);
        }
    return {};
}

std::int64_t endOf(const Timeline& timeline)
{
    std::int64_t end = 0;
    for (const Iteration& iteration : timeline.iterations)
        end = std::max(end, iteration.window.end);
    return end;
}

} // namespace

Result<void> placeIteration(const Schedule& lowered, const OpCosts& costs, Iteration iteration,
                            Timeline& timeline)
{
    CHECK(costs.of.size() == lowered.program.size());
    for (std::size_t d = 0; d < costs.of.size(); ++d)
        CHECK(costs.of[d].size() == lowered.program[d].size());
    if (auto fits = checkOps(lowered); !fits)
        return fits;

    sim::TrackWriter tracks(lowered, static_cast<std::uint32_t>(timeline.iterations.size()),
                            timeline);
    const auto window = sim::Placer(lowered, costs, endOf(timeline), tracks).place();
    if (!window)
        return tl::unexpected(window.error());
    tracks.commit();
    iteration.window = *window;
    timeline.iterations.push_back(std::move(iteration));
    return {};
}

Result<Timeline> simulate(const Schedule& lowered, const OpCosts& costs,
                          const SimulateOptions& options)
{
    Timeline timeline;
    for (int i = 0; i < options.iterations; ++i) {
        Iteration iteration;
        iteration.number = i;
        if (auto placed = placeIteration(lowered, costs, std::move(iteration), timeline); !placed)
            return tl::unexpected(placed.error());
    }
    return timeline;
}

} // namespace engine
