#include "profiler/import/replay.h"

#include "engine/base/median.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/passes/passes.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"

namespace profiler {

using namespace engine;

namespace {
// Returns the schedule with only its F, B, I, W and RECOMPUTE.
Schedule computeOps(const Schedule& schedule)
{
    Schedule order = schedule;
    for (auto& program : order.program)
        std::erase_if(program, [](const Op& op) {
            return op.kind != OpKind::Forward && !isBackward(op.kind)
                && op.kind != OpKind::Recompute;
        });
    return order;
}

std::int64_t medianDuration(const Timeline& timeline)
{
    std::vector<std::int64_t> durations;
    for (const Iteration& iteration : timeline.iterations)
        durations.push_back(iteration.window.duration());
    return medianOf(durations);
}
} // namespace

std::optional<double> replayError(const Run& run)
{
    const Schedule order = computeOps(run.schedule);
    if (!knowsStages(run.info) || !validate(order).empty())
        return std::nullopt;
    const Schedule lowered = lower(order);
    const auto costs = calibratedCosts(run, lowered);
    if (!costs)
        return std::nullopt;
    const auto replayed = simulate(lowered, *costs);
    const std::int64_t measured = medianDuration(run.timeline);
    if (!replayed || replayed->iterations.empty() || measured <= 0)
        return std::nullopt;
    return static_cast<double>(replayed->iterations.front().window.duration())
        / static_cast<double>(measured)
        - 1;
}

} // namespace profiler
