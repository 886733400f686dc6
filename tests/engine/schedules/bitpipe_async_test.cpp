#include "engine/schedule/check/validate.h"
#include "engine/schedule/check/weight_versions.h"
#include "profiler/analysis/metrics.h"
#include "tests/support/golden.h"
#include "tests/support/pipelines.h"

#include <climits>

using namespace engine;
using namespace tests;
using Catch::Contains;

namespace {

constexpr const char* kName = "bitpipe-async";

ScheduleRequest request(int devices, int microBatches, int batch = 0, int chunks = 0)
{
    ScheduleRequest wanted = requestOf(kName, devices, microBatches);
    wanted.chunks = chunks;
    if (batch > 0)
        wanted.options["batch"] = std::to_string(batch);
    return wanted;
}

Schedule stream(const ScheduleRequest& wanted, const StreamLength& length = {})
{
    return buildSchedule(asStream(wanted, length)).value();
}

std::string refusal(const ScheduleRequest& wanted)
{
    return buildSchedule(wanted).error().message;
}

} // namespace

TEST_CASE("asynchronous BitPipe has the order of BitPipe with early concatenation")
{
    for (const int devices : {2, 4, 8})
        for (const int units : {1, 2, 5}) {
            const int microBatches = units * devices;
            CHECK(
                programOf(scheduleOf(kName, devices, microBatches))
                == programOf(scheduleOf("bitpipe", devices, microBatches, {{"concat", "early"}})));
        }
}

TEST_CASE("batch k of asynchronous BitPipe uses version k - 1, in both directions")
{
    const Schedule schedule = scheduleOf(kName, 4, 24); // updates of 8
    for (const auto& ops : schedule.program)
        for (const Op& op : ops)
            CHECK(op.version == std::max(0, op.microBatch.value / 8 - 1));
}

TEST_CASE("a stage is all-reduced after its last backward of a batch, and updated before the next")
{
    Schedule lowered = lower(scheduleOf(kName, 2, 8)); // two updates
    for (auto& ops : lowered.program)
        std::erase_if(
            ops, [](const Op& op) { return op.kind == OpKind::Forward || isTransfer(op.kind); });
    CHECK(programOf(lowered)[0]
          == "3B0 2B1u 1B1u 0B0 3B2 3ALLREDUCE 2B3u 2ALLREDUCEu 1B3u 1ALLREDUCEu 0B2 0ALLREDUCE "
             "3OPT 3B4 2OPTu 2B5u 1OPTu 1B5u 0OPT 0B4 3B6 3ALLREDUCE 2B7u 2ALLREDUCEu 1B7u "
             "1ALLREDUCEu 0B6 0ALLREDUCE 3OPT 2OPTu 1OPTu 0OPT");
}

TEST_CASE("a stream of asynchronous BitPipe is valid and keeps two versions of the weights")
{
    for (const int devices : {2, 4, 6, 8, 16, 32})
        for (const int chunks : {2, 4})
            for (const int units : {2, 3}) {
                INFO("D=" << devices << " v=" << chunks << " m=" << units * devices);
                const Schedule schedule
                    = stream(request(devices, devices, units * devices, chunks), {.warmup = 8});
                const Schedule lowered = lower(schedule);
                CHECK(validate(schedule).empty());
                CHECK(validate(lowered).empty());
                CHECK(versionsKept(lowered)
                      == std::vector<int>(static_cast<std::size_t>(devices), 2));
            }
}

TEST_CASE("asynchronous BitPipe has no bubble in the steady state: an iteration takes 3N")
{
    for (const int devices : {2, 4, 6, 8, 16, 24}) // 32 and more take longer to fill
        for (const int chunks : {2, 4})
            for (const int units : {1, 2, 3}) {
                INFO("D=" << devices << " v=" << chunks << " K=" << units);
                Run run;
                run.schedule = lower(stream(request(devices, units * devices, 0, chunks)));
                const OpCosts costs = costsOf(run.schedule);
                run.info.ticksPerUnit = costs.ticksPerUnit;
                run.timeline = simulate(run.schedule, costs).value();
                const auto measured = std::ranges::find(
                    run.timeline.iterations, Iteration::Kind::Measured, &Iteration::kind);
                REQUIRE(measured != run.timeline.iterations.end());
                const auto metrics
                    = profiler::metrics(run, measured - run.timeline.iterations.begin()).value();
                CHECK(metrics.duration == 3 * units * devices * costs.ticksPerUnit);
                CHECK(metrics.bubbleRatio == 0);
            }
}

TEST_CASE("the all-reduces of asynchronous BitPipe overlap with compute")
{
    Run run;
    run.schedule = lower(stream(request(4, 8)));
    UnitCosts priced;
    priced.allReduce = {1, 1}; // of a stage, as its forward for two micro-batches
    const OpCosts costs = costsOf(run.schedule, priced);
    run.timeline = simulate(run.schedule, costs).value();
    for (const Iteration& iteration : run.timeline.iterations)
        if (iteration.kind == Iteration::Kind::Measured)
            CHECK(iteration.window.duration() == 24 * costs.ticksPerUnit);
}

TEST_CASE("asynchronous BitPipe refuses what its two versions do not allow, with the nearest")
{
    CHECK_THAT(refusal(request(4, 8, 4)), Contains("batch=4; the nearest is 8"));
    CHECK_THAT(refusal(request(4, 8, 11)), Contains("batch=11; the nearest is 12"));
    CHECK_THAT(refusal(request(4, 8, INT_MAX)), Contains("; the nearest is 2147483644"));
    CHECK_THAT(refusal(request(3, 6)), Contains("bitpipe-async needs an even number of devices"));
    CHECK_THAT(refusal(request(4, 6)), Contains("multiple of the devices (4), not 6"));
    CHECK_THAT(refusal(request(4, 8, 0, 3)), Contains("an even number of chunks"));
    ScheduleRequest copies = request(4, 8);
    copies.dataParallel = 2;
    CHECK_THAT(refusal(copies), Contains("use data-parallel width 1"));
}
