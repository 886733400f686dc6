#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

TEST_CASE("the two halves of a backward recompute a forward between them")
{
    const Schedule schedule = addRecompute(scheduleOf("chimera", 4, 8, {{"concat", "halving"}}));
    Simulated run = simulated(schedule);
    double work = 0;
    for (const Span& span : run.timeline.track(DeviceId{0}, Track::Kind::Compute)->spans)
        work += run.units(span.end - span.begin);
    CHECK(work == (1 + 1 + 2) * 8);
}

TEST_CASE("full recomputation costs a forward for each backward, hidden where a device waits: "
          "4N+3(D-1)")
{
    for (const std::string scheme : {"gpipe", "1f1b"})
        CHECK(simulated(addRecompute(scheduleOf(scheme, 4, 8))).iteration() == 4 * 8 + 3 * 3);
    UnitCosts attention;
    attention.recompute = {1, 4};
    CHECK(simulated(addRecompute(scheduleOf("1f1b", 1, 8)), attention).iteration() == 3.25 * 8);
}
