#include "engine/cost/cost_model.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/simulate.h"
#include "profiler/whatif/own_replay.h"
#include "tests/profiler/whatif/measured_run.h"

#include <map>

using namespace engine;
using namespace profiler;
using namespace whatif_test;

namespace {

// Three iterations of 1F1B in ns, in which every op of iteration k takes 10 + k, 20 + 2k.
Run slower(Iteration::Kind kind)
{
    ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = 2;
    request.microBatches = 2;
    Run run;
    run.info.mode = Mode::Live;
    run.schedule = lower(buildSchedule(request).value());
    for (int k = 0; k < 3; ++k) {
        OpCosts costs;
        for (const auto& program : run.schedule.program) {
            auto& row = costs.of.emplace_back();
            for (const Op& op : program)
                row.push_back({op.kind == OpKind::Forward        ? 10 + k
                                   : op.kind == OpKind::Backward ? 20 + 2 * k
                                                                 : 0,
                               0});
        }
        Iteration iteration;
        iteration.number = k;
        iteration.kind = kind;
        REQUIRE(placeIteration(run.schedule, costs, iteration, run.timeline));
    }
    return run;
}

} // namespace

TEST_CASE("a run predicts its own iteration from the median of every op")
{
    for (const auto kind : {Iteration::Kind::Measured, Iteration::Kind::Warmup}) {
        const Run run = slower(kind);
        const Run prediction = OwnReplay::ofMedians(run)->placed();
        REQUIRE(prediction.timeline.iterations.size() == 1);
        const Window window = prediction.timeline.iterations.front().window;
        CHECK(window.begin == 0);
        CHECK(window.duration() == 3 * (11 + 22)); // N + D - 1 = 3
        CHECK(prediction.schedule == run.schedule);
        CHECK(prediction.info.mode == Mode::Simulate);
    }
}

// "the schedule deadlocks" for traces of Primus and of Megatron-LM's PP timer.
TEST_CASE("a run without messages predicts its own iteration, too")
{
    const Run run = withoutMessages(slower(Iteration::Kind::Measured));
    const auto replay = OwnReplay::create(run, 0);
    REQUIRE(replay);
    CHECK(replay->simulated() == replay->recorded());
    CHECK(replay->placed().schedule == run.schedule);
    CHECK(replay->placed().timeline.tracks.size() == 2);
    const auto slower = replay->with([](OwnReplay::Programs& programs) {
        for (OwnReplay::Step& step : programs[DeviceId{1}])
            step.cost.duration *= 2;
    });
    CHECK(slower.value() == replay->recorded() + 2 * 30); // device 1 does not wait in between
}

TEST_CASE("a run without an iteration, and a stream, are not predicted")
{
    Run run = slower(Iteration::Kind::Measured);
    run.schedule.shape.windows = 2;
    CHECK(OwnReplay::ofMedians(run).error().code == Error::Code::InvalidArgument);
    run.timeline = {};
    CHECK(OwnReplay::ofMedians(run).error().message == "the run has no iteration yet");
}

TEST_CASE("a replay places every op where it was recorded, after its waits")
{
    Run run = slower(Iteration::Kind::Measured);
    std::map<std::uint32_t, Window> recorded;
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans)
            if (span.iteration == 1) {
                // Everything after the first forward waits for 5 ns.
                span.begin += span.begin > run.timeline.iterations[1].window.begin ? 5 : 0;
                span.end += span.begin > run.timeline.iterations[1].window.begin ? 5 : 0;
                recorded[span.op] = span.window();
            }
    run.timeline.iterations[1].window.end += 5;
    const OwnReplay replay = OwnReplay::create(run, 1).value();
    CHECK(replay.simulated() == replay.recorded());
    const std::int64_t begin = run.timeline.iterations[1].window.begin;
    const Run placed = replay.placed();
    for (const Track& track : placed.timeline.tracks)
        for (const Span& span : track.spans)
            CHECK(span.window()
                  == Window{recorded[span.op].begin - begin, recorded[span.op].end - begin});
}

// Their common duration was multiplied by their number, which overflowed and gave negative times.
TEST_CASE("joint ops that take too long to be added are refused, not predicted")
{
    ScheduleRequest request;
    request.scheme = "dualpipev";
    request.devices = 1;
    request.microBatches = 2;
    Run run;
    run.schedule = lower(buildSchedule(request).value());
    UnitCosts costs;
    run.timeline = simulate(run.schedule, unitOpCosts(run.schedule, costs).value()).value();
    REQUIRE(OwnReplay::create(run, 0));
    std::size_t joint = 0;
    const std::vector<Op>& ops = run.schedule.program.front();
    for (Span& span : run.timeline.tracks.front().spans)
        if (ops[span.op].flags == OpFlag::JointWithNext
            || (span.op > 0 && ops[span.op - 1].flags == OpFlag::JointWithNext)) {
            span.end = span.begin + (std::int64_t{1} << 62);
            ++joint;
        }
    REQUIRE(joint == 2);
    const auto replay = OwnReplay::create(run, 0);
    REQUIRE(!replay);
    CHECK(replay.error().message == costsTooLarge().value().message);
}
