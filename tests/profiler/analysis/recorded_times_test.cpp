#include "profiler/analysis/calibrate.h"
#include "tests/support/pipelines.h"

#include <algorithm>

using namespace engine;
using namespace profiler;
using namespace tests;

// OPT also had the wait for its all-reduce, and calls during F and B counted in addition to these.
TEST_CASE("an imported all-reduce counts once, and from the last gradient of its stage on")
{
    Schedule schedule = scheduleOf("gpipe", 1, 1);
    schedule.shape.dataParallel = 2;
    UnitCosts costs;
    costs.allReduce = {5};
    costs.optimizer = {1};
    Run run;
    run.schedule = lower(schedule);
    const OpCosts resolved = costsOf(run.schedule, costs);
    const std::int64_t unit = resolved.ticksPerUnit;
    run.timeline = simulate(run.schedule, resolved).value();
    run.info.ticksPerUnit = unit;
    run.info.mode = Mode::Imported;
    auto& spans
        = std::ranges::find(run.timeline.tracks, Track::Kind::AllReduce, &Track::kind)->spans;
    REQUIRE(spans.size() == 1);
    Span early = spans.front();
    early.begin = 0;
    early.end = unit;
    spans.insert(spans.begin(), early);
    CHECK(recordedTimes(run)[early.op]->duration == 5 * unit);
    const auto again = calibratedCosts(run, run.schedule);
    REQUIRE(again);
    const Timeline timeline = simulate(run.schedule, *again).value();
    CHECK(timeline.iterations[0].window.duration() == (1 + 2 + 5 + 1) * unit);
}
