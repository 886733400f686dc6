#include "engine/sim/simulate.h"

#include "engine/base/check.h"
#include "engine/base/try.h"
#include "engine/cost/cost_model.h"
#include "engine/sim/placer.h"
#include "engine/sim/track_writer.h"
#include "engine/timeline/timeline.h"

#include <algorithm>

namespace engine {
namespace {

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
    for (const DeviceId d : costs.of.ids())
        CHECK(costs.of[d].size() == lowered.program[d].size());
    const std::int64_t start = endOf(timeline);
    TRY(checkTicks(costs, start));
    const auto facts = TRY(sim::orderFacts(lowered));
    const std::uint32_t number = timeline.iterations.size();
    std::unique_ptr<sim::TrackWriter> tracks;
    iteration.window = TRY(sim::placeSteadily<sim::TrackWriter>(
        sim::Placement<sim::StoredCosts>{lowered, facts, {costs}, costs.rules, start, number},
        tracks, [&] { return std::make_unique<sim::TrackWriter>(lowered, number, timeline); }));
    tracks->commit();
    timeline.iterations.push_back(std::move(iteration));
    return {};
}

Result<Timeline> simulate(const Schedule& lowered, const OpCosts& costs,
                          const SimulateOptions& options)
{
    Timeline timeline;
    if (lowered.shape.windows > 1) {
        TRY(placeIteration(lowered, costs, {}, timeline));
        divideIntoWindows(lowered, options.iterations, timeline);
        return timeline;
    }
    for (int i = 0; i < options.iterations; ++i) {
        Iteration iteration;
        iteration.number = i;
        TRY(placeIteration(lowered, costs, std::move(iteration), timeline));
    }
    return timeline;
}

} // namespace engine
