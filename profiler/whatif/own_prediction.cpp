#include "profiler/whatif/own_prediction.h"

#include "engine/sim/simulate.h"
#include "profiler/analysis/recorded_times.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

bool hasMeasured(const Run& run)
{
    return std::ranges::any_of(run.timeline.iterations, [](const Iteration& one) {
        return one.kind != Iteration::Kind::Warmup;
    });
}

// The same run with its warm-up counted as measured.
Run withWarmup(const Run& run)
{
    Run counted = run;
    for (Iteration& one : counted.timeline.iterations)
        one.kind = Iteration::Kind::Measured;
    return counted;
}

} // namespace

Result<Run> predictOwn(const Run& run)
{
    if (run.timeline.iterations.empty())
        return fail(Error::Code::InvalidArgument, "the run has no iteration yet");
    if (run.schedule.shape.windows > 1)
        return fail(Error::Code::InvalidArgument,
                    "the windows of an asynchronous scheme are not predicted one by one");
    const RecordedTimes times = recordedTimes(hasMeasured(run) ? run : withWarmup(run));
    OpCosts costs;
    costs.ticksPerUnit = run.info.ticksPerUnit;
    std::size_t number = 0;
    for (const auto& program : run.schedule.program) {
        auto& row = costs.of.emplace_back();
        for (std::size_t k = 0; k < program.size(); ++k)
            row.push_back(times[number++].value_or(OpCosts::Cost{}));
    }
    auto timeline = simulate(run.schedule, costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    Run prediction;
    prediction.info = run.info;
    prediction.info.mode = Mode::Simulate;
    prediction.schedule = run.schedule;
    prediction.timeline = *std::move(timeline);
    return prediction;
}

} // namespace profiler
