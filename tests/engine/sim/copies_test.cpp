#include "engine/schedule/check/stash.h"
#include "profiler/analysis/metrics.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

#include <fmt/format.h>

using namespace engine;
using namespace tests;

namespace {

using Spans = std::vector<std::string>;

Run simulatedRun(const Schedule& lowered, const UnitCosts& costs)
{
    const OpCosts resolved = costsOf(lowered, costs);
    Run run;
    run.schedule = lowered;
    run.timeline = simulate(lowered, resolved).value();
    run.info.ticksPerUnit = resolved.ticksPerUnit;
    return run;
}

Spans unitSpans(const Run& run, Track::Kind kind)
{
    const Track* track = run.timeline.track(DeviceId{0}, kind);
    REQUIRE(track != nullptr);
    const OpIndex index(run.schedule);
    const auto units = [&run](std::int64_t ticks) {
        return static_cast<double>(ticks) / static_cast<double>(run.info.ticksPerUnit);
    };
    Spans texts;
    for (const Span& span : track->spans)
        if (opAt(run.schedule, index, span.op).kind != OpKind::OptimizerStep)
            texts.push_back(fmt::format("{} {}-{}", toString(opAt(run.schedule, index, span.op)),
                                        units(span.begin), units(span.end)));
    return texts;
}

std::vector<double> peaks(const Run& run)
{
    const auto metrics = profiler::metrics(run);
    REQUIRE(metrics);
    std::vector<double> peaks;
    for (const auto& device : metrics->devices)
        peaks.push_back(device.peakStash);
    return peaks;
}

// One stage on device 0; device 1 only takes its stashes.
Schedule alone(const std::string& program)
{
    return lower(scheduleFrom({program, ""}));
}

} // namespace

TEST_CASE("an evict runs beside the op behind it, and the backward waits for its load")
{
    UnitCosts costs;
    costs.transfer = {1, 2};
    const Run run = simulatedRun(alone("0F0 0EVICT0 0F1 0B1 0LOAD0 0F2 0B0 0F3 0B2 0B3"), costs);
    CHECK(unitSpans(run, Track::Kind::Copy) == Spans{"0EVICT0 1-1.5", "0LOAD0 4-4.5"});
    CHECK(unitSpans(run, Track::Kind::Compute)
          == Spans{"0F0 0-1", "0F1 1-2", "0B1 2-4", "0F2 4-5", "0B0 5-7", "0F3 7-8", "0B2 8-10",
                   "0B3 10-12"});
}

TEST_CASE("a LOAD that takes longer than the concurrent op delays its backward")
{
    UnitCosts costs;
    costs.transfer = {3};
    const Run run = simulatedRun(alone("0F0 0EVICT0 0F1 0B1 0LOAD0 0F2 0B0 0F3 0B2 0B3"), costs);
    CHECK(unitSpans(run, Track::Kind::Copy) == Spans{"0EVICT0 1-4", "0LOAD0 4-7"});
    CHECK(unitSpans(run, Track::Kind::Compute)[4] == "0B0 7-9");
}

TEST_CASE("a load waits for its evict, which waits for the one before it")
{
    UnitCosts costs;
    costs.transfer = {4};
    const Run run = simulatedRun(
        alone("0F0 0EVICT0 0F1 0EVICT1 0F2 0F3 0LOAD1 0B3 0B1 0LOAD0 0B2 0B0"), costs);
    const Spans copies = unitSpans(run, Track::Kind::Copy);
    CHECK(copies[0] == "0EVICT0 1-5");
    CHECK(copies[1] == "0EVICT1 5-9");
    CHECK_THAT(copies[2], Catch::StartsWith("0LOAD1 9-13"));
}

TEST_CASE("two loads in a row go one after the other")
{
    UnitCosts costs;
    costs.transfer = {1};
    const Run run = simulatedRun(
        alone("0F0 0EVICT0 0F1 0EVICT1 0F2 0F3 0B3 0LOAD0 0LOAD1 0B2 0B0 0B1"), costs);
    CHECK(unitSpans(run, Track::Kind::Copy)
          == Spans{"0EVICT0 1-2", "0EVICT1 2-3", "0LOAD0 6-7", "0LOAD1 7-8"});
}

TEST_CASE("a forward without room waits until the oldest evict under way is through")
{
    UnitCosts costs;
    costs.transfer = {5};
    // By the order room for two: the slot of micro-batch 0 is free again when F1 has run.
    const Run run = simulatedRun(alone("0F0 0EVICT0 0F1 0F2 0B2 0B1 0LOAD0 0F3 0B3 0B0"), costs);
    CHECK(stashCapacity(run.schedule) == std::vector<StashCapacity>{{4, 2}, {}});
    CHECK(unitSpans(run, Track::Kind::Compute)[2] == "0F2 6-7");
    CHECK(peaks(run)[0] == 2);
}

TEST_CASE("an evict waits until the partner has a slot: the oldest load is through")
{
    UnitCosts costs;
    costs.transfer = {3};
    // By the order one stash is away at a time. Without the credit EVICT1 would leave at 7, while
    // LOAD0 is still on its way and holds the slot.
    const Run run = simulatedRun(
        alone("0F0 0EVICT0 0F1 0F2 0B2 0LOAD0 0EVICT1 0B0 0LOAD1 0B1 0F3 0B3"), costs);
    CHECK(stashCapacity(run.schedule)[{0}].guests == 2);
    CHECK(unitSpans(run, Track::Kind::Copy)
          == Spans{"0EVICT0 1-4", "0LOAD0 7-10", "0EVICT1 10-13", "0LOAD1 13-16"});
    CHECK(peaks(run)[1] == 1);
}

TEST_CASE("an evicted stash counts on both devices while it moves, then on the partner")
{
    const std::string program = "0F0 0EVICT0 0F1 0B1 0LOAD0 0F2 0B0 0B2 0F3 0B3";
    UnitCosts costs;
    CHECK(peaks(simulatedRun(alone(program), costs)) == std::vector<double>{2, 1});
    costs.transfer = {1, 2};
    CHECK(peaks(simulatedRun(alone(program), costs)) == std::vector<double>{2, 1});
    Run run = simulatedRun(alone(program), costs);
    run.schedule.program[{0}][1].peer = 0; // on one device the same stash would count twice
    CHECK(peaks(run)[0] == 3);
}

TEST_CASE("a recompute runs before its backward and costs a share of its forward")
{
    UnitCosts costs;
    const Schedule schedule = alone("0F0 0F1 0RECOMPUTE0 0B0 0RECOMPUTE1 0B1 0F2 0B2 0F3 0B3");
    CHECK(simulatedRun(schedule, costs).timeline.iterations[0].window.end
          == 14 * costsOf(schedule).ticksPerUnit);
    costs.recompute = {1, 4};
    CHECK(unitSpans(simulatedRun(schedule, costs), Track::Kind::Compute)[2]
          == "0RECOMPUTE0 2-2.25");
}

TEST_CASE("a stash that is evicted and never loaded, or loaded and never evicted, is a deadlock")
{
    for (const std::string program : {"0F0 0EVICT0 0B0 0F1 0B1", "0F0 0LOAD0 0B0 0F1 0B1"}) {
        const Schedule schedule = alone(program);
        CHECK_THAT(simulate(schedule, costsOf(schedule)).error().message,
                   Catch::Contains("device 0 waits forever"));
    }
}

// Three of four activations fit. The second evict waits for the first, F3 for the memory of the
// first, and the first load for that of the second: 14 units instead of 12.
TEST_CASE("copies to the host take its link, and a slow one delays the ops that need memory")
{
    UnitCosts costs;
    costs.transfer = {2};
    const auto order = addOffload(scheduleOf("gpipe", 1, 4), 3);
    REQUIRE(order);
    const Run run = simulatedRun(lower(*order), costs);
    CHECK(unitSpans(run, Track::Kind::Copy)
          == Spans{"0EVICT1 2-4", "0EVICT2 4-6", "0LOAD1 6-8", "0LOAD2 8-10"});
    CHECK(unitSpans(run, Track::Kind::Compute)
          == Spans{"0F0 0-1", "0F1 1-2", "0F2 2-3", "0F3 4-5", "0B0 5-7", "0B1 8-10", "0B2 10-12",
                   "0B3 12-14"});
    CHECK(peaks(run) == std::vector<double>{3});
}

TEST_CASE("copies to the host do not count on another device")
{
    UnitCosts costs;
    costs.transfer = {1, 2};
    const Run run = simulatedRun(lower(*addOffload(scheduleOf("1f1b", 4, 6), 3)), costs);
    CHECK(peaks(run) == std::vector<double>{3, 3, 2, 1});
    CHECK(run.timeline.extent().duration() == 27 * run.info.ticksPerUnit); // as 1F1B
}

TEST_CASE("no device exceeds the limit of an offload, however long copies take")
{
    for (const char* scheme : {"gpipe", "1f1b", "interleaved-1f1b", "chimera", "bitpipe", "hanayo"})
        for (const int quarters : {0, 1, 4, 20}) {
            INFO(scheme << ", a copy takes " << quarters << " quarters of a forward");
            UnitCosts costs;
            costs.transfer = {quarters, 4};
            const Schedule order = scheduleOf(scheme, 4, 8);
            const Run run = simulatedRun(lower(*addOffload(order, 3)), costs);
            CHECK(std::ranges::max(peaks(run)) <= 3);
            const double without = simulated(order, costs).iteration();
            const double with = static_cast<double>(run.timeline.extent().duration())
                / static_cast<double>(run.info.ticksPerUnit);
            CHECK(with >= without);
            if (quarters == 0)
                CHECK(with == without);
        }
}
