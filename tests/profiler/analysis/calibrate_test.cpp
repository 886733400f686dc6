#include "engine/schedule/transfers.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/metrics.h"
#include "tests/support/pipelines.h"
#include "tests/support/text_schedule.h"

#include <algorithm>
#include <functional>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

Run runOf(const Schedule& schedule, const UnitCosts& costs, int iterations = 1)
{
    Run run;
    run.schedule = lower(schedule);
    const OpCosts resolved = costsOf(run.schedule, costs);
    run.timeline = simulate(run.schedule, resolved, {.iterations = iterations}).value();
    run.info.ticksPerUnit = resolved.ticksPerUnit;
    return run;
}

UnitCosts unevenCosts()
{
    UnitCosts costs;
    costs.stages = {{0, {3, 2}, {3}}, {2, {3, 4}, {2}}, {7, {2}, {9, 2}}};
    costs.p2p = {1, 8};
    costs.latency = {1, 4};
    costs.allReduce = {1, 2};
    costs.optimizer = {1, 3};
    costs.transfer = {1, 5};
    return costs;
}

// How long `schedule` takes by what `run` recorded, in units.
double predicted(const Run& run, const Schedule& schedule, const CalibrateOptions& options = {})
{
    const Schedule lowered = lower(schedule);
    const auto costs = calibratedCosts(run, lowered, options);
    REQUIRE(costs);
    const Timeline timeline = simulate(lowered, *costs).value();
    return static_cast<double>(timeline.iterations[0].window.duration())
        / static_cast<double>(costs->ticksPerUnit);
}

std::string refusal(const Run& run, const Schedule& schedule)
{
    const auto costs = calibratedCosts(run, lower(schedule));
    REQUIRE_FALSE(costs);
    return costs.error().message;
}

} // namespace

TEST_CASE("a schedule that was recorded with jitter is predicted as it was")
{
    UnitCosts costs = unevenCosts();
    costs.rules.jitter = {1, 5};
    for (const std::string scheme : {"bitpipe", "interleaved-1f1b", "zb-v", "hanayo"}) {
        INFO(scheme);
        const Schedule schedule = scheduleOf(scheme, 4, 8);
        const Run run = runOf(schedule, costs);
        const auto same = calibratedCosts(run, run.schedule);
        REQUIRE(same);
        CHECK(simulate(run.schedule, *same).value().tracks == run.timeline.tracks);
    }
}

TEST_CASE("joint ops divide the span that they have together, and predict it again")
{
    UnitCosts costs;
    costs.rules.joint = {3, 4};
    const Schedule schedule = scheduleOf("dualpipe", 4, 8);
    const Run run = runOf(schedule, costs);
    const auto same = calibratedCosts(run, run.schedule);
    REQUIRE(same);
    CHECK(simulate(run.schedule, *same).value().tracks == run.timeline.tracks);

    UnitCosts three;
    three.backward = {3};
    const RecordedTimes times = recordedTimes(runOf(scheduleFrom({"0F1 (0F0 0B1) 0B0"}), three));
    CHECK(times[1]->duration * 3 == times[2]->duration);
    CHECK(times[1]->duration == times[0]->duration);
}

TEST_CASE("another schedule of the same stages is simulated with the recorded costs")
{
    const UnitCosts costs = unevenCosts();
    const Run recorded = runOf(scheduleOf("interleaved-1f1b", 4, 8), costs);
    for (const std::string scheme : {"interleaved-1f1b", "looped-bfs", "hanayo"})
        for (const int microBatches : {4, 8, 16}) {
            INFO(scheme << " N=" << microBatches);
            const Schedule schedule = scheduleOf(scheme, 4, microBatches);
            const Run direct = runOf(schedule, costs);
            CHECK(predicted(recorded, schedule)
                  == Approx(static_cast<double>(direct.timeline.iterations[0].window.duration())
                            / static_cast<double>(direct.info.ticksPerUnit))
                         .epsilon(1e-12));
        }
    // Stages are cut alike: eight on four devices with v = 2, or on eight with v = 1.
    const Schedule wide = scheduleOf("1f1b", 8, 8);
    const auto costsOfWide = calibratedCosts(recorded, lower(wide));
    CHECK(costsOfWide);
}

TEST_CASE("every op of another iteration count takes the median of its kind and stage")
{
    Run run = runOf(scheduleOf("1f1b", 2, 3), {}, 1);
    // F of stage 0: 10, 20, 90.
    Track& track = run.timeline.tracks[0];
    const OpIndex index(run.schedule);
    std::int64_t time = 0;
    for (Span& span : track.spans) {
        const Op& op = opAt(run.schedule, index, span.op);
        const std::int64_t length = op.kind == OpKind::Forward
            ? std::int64_t{op.microBatch.value == 0       ? 10
                               : op.microBatch.value == 1 ? 90
                                                          : 20}
            : 5;
        span = {time, time + length, span.op, span.iteration};
        time += length;
    }
    const Schedule longer = lower(scheduleOf("1f1b", 2, 5));
    const auto costs = calibratedCosts(run, longer);
    REQUIRE(costs);
    std::vector<std::int64_t> forwards;
    for (std::size_t i = 0; i < longer.program[{0}].size(); ++i)
        if (longer.program[{0}][i].kind == OpKind::Forward)
            forwards.push_back(costs->of[{0}][i].duration);
    CHECK(forwards == std::vector<std::int64_t>{10, 90, 20, 20, 20}); // its own, then the median
    const auto even = calibratedCosts(run, longer, {.ownTimes = false});
    CHECK(even->of[{0}][0].duration == 20);
}

TEST_CASE("warm-up counts in nothing, and of several measured iterations the median does")
{
    Run run;
    run.schedule = lower(scheduleOf("gpipe", 1, 1));
    for (const int length : {1000, 7, 9, 8}) {
        UnitCosts costs;
        costs.forward = {length};
        Iteration iteration;
        iteration.kind = length == 1000 ? Iteration::Kind::Warmup : Iteration::Kind::Measured;
        REQUIRE(
            placeIteration(run.schedule, costsOf(run.schedule, costs), iteration, run.timeline));
    }
    run.info.ticksPerUnit = costsOf(run.schedule).ticksPerUnit;
    CHECK(recordedTimes(run)[0]->duration == 8 * run.info.ticksPerUnit);
    run.timeline.iterations.resize(1);
    for (Track& track : run.timeline.tracks)
        std::erase_if(track.spans, [](const Span& span) { return span.iteration > 0; });
    CHECK_THAT(refusal(run, scheduleOf("gpipe", 1, 1)), Catch::Contains("no measured iteration"));
}

TEST_CASE("a message over another class of link has that class's price")
{
    UnitCosts costs;
    costs.p2p = {1, 8};
    costs.p2pAcross = Fraction{2};
    costs.devicesPerNode = 2;
    const Run run = runOf(scheduleOf("1f1b", 4, 4), costs);
    const Schedule longer = lower(scheduleOf("gpipe", 4, 9));
    const auto prices = calibratedCosts(run, longer, {.devicesPerNode = 2});
    REQUIRE(prices);
    for (const DeviceId d : longer.program.ids())
        for (std::size_t i = 0; i < longer.program[d].size(); ++i) {
            const Op& op = longer.program[d][i];
            if (op.kind != OpKind::SendActivation && op.kind != OpKind::SendGradient)
                continue;
            const bool leaves = std::min<int>(d.value, op.peer) == 1;
            CHECK(static_cast<double>(prices->of[d][i].duration)
                  == (leaves ? 2 : 0.125) * static_cast<double>(prices->ticksPerUnit));
        }
    // Two devices of two stages each are one node, four of one are not.
    const auto unknown
        = calibratedCosts(runOf(scheduleOf("hanayo", 2, 4), {}), longer, {.devicesPerNode = 2});
    REQUIRE_FALSE(unknown);
    CHECK_THAT(unknown.error().message, Catch::Contains("SEND_F, SEND_B"));
}

TEST_CASE("missing times of a run are an error that says what to record")
{
    const Run run = runOf(scheduleOf("1f1b", 4, 8), {});
    CHECK_THAT(refusal(run, scheduleOf("interleaved-1f1b", 4, 8)),
               Catch::Contains("4 stages") && Catch::Contains("8")
                   && Catch::Contains("record a run with 8 stages"));
    CHECK_THAT(refusal(run, scheduleOf("zb-h1", 4, 8)),
               Catch::Contains("no measured time of I, W, which zb-h1 needs")
                   && Catch::Contains("the share of I in a backward"));
    CHECK_THAT(refusal(run, scheduleOf("bpipe", 4, 8)), Catch::Contains("EVICT, LOAD"));
    CHECK_THAT(refusal(run, scheduleOf("chimera", 4, 8)), Catch::Contains("ALLREDUCE"));
    CHECK_THAT(refusal(run, addRecompute(scheduleOf("1f1b", 4, 8))), Catch::Contains("RECOMPUTE"));
    CHECK_THAT(refusal(runOf(scheduleOf("seq1f1b", 4, 4), {}), scheduleOf("1f1b", 4, 4)),
               Catch::Contains("F, B"));
    Schedule wide = scheduleOf("chimera", 4, 8);
    wide.shape.dataParallel = 4;
    CHECK_THAT(refusal(runOf(scheduleOf("chimera", 4, 8), {}), wide),
               Catch::Contains("sum 2 copies") && Catch::Contains("sum 8"));
}

TEST_CASE("a backward is divided, or put together, only where that is asked for")
{
    UnitCosts costs;
    costs.inputGradient = {6, 5};
    costs.weightGradient = {4, 5};
    const Schedule h1 = scheduleOf("zb-h1", 4, 8);
    const Run whole = runOf(scheduleOf("1f1b", 4, 8), costs), split = runOf(h1, costs);
    const auto units = [](const Run& run) {
        return static_cast<double>(run.timeline.iterations[0].window.duration())
            / static_cast<double>(run.info.ticksPerUnit);
    };
    CHECK(predicted(whole, h1, {.inputShare = Fraction{3, 5}}) == Approx(units(split)));
    CHECK_FALSE(calibratedCosts(split, lower(scheduleOf("1f1b", 4, 8))));
    CHECK(predicted(split, scheduleOf("1f1b", 4, 8), {.inputShare = Fraction{1, 2}})
          == Approx(units(whole)));
}

namespace {

// 1F1B on three devices whose messages take `activation` and `gradient` ticks; those of `dropped`
// were not recorded.
Run withMessages(std::int64_t activation, std::int64_t gradient,
                 const std::function<bool(const Op&)>& dropped)
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    Run run = runOf(scheduleOf("1f1b", 3, 4), costs);
    const OpIndex index(run.schedule);
    for (Track& track : run.timeline.tracks) {
        std::erase_if(track.spans, [&](const Span& span) {
            const Op& op = opAt(run.schedule, index, span.op);
            return isSend(op.kind) && dropped(op);
        });
        for (Span& span : track.spans) {
            const OpKind kind = opAt(run.schedule, index, span.op).kind;
            if (isSend(kind))
                span.end = span.begin + (kind == OpKind::SendActivation ? activation : gradient);
        }
    }
    return run;
}

// Of the first op of this kind and stage.
std::int64_t durationOf(const Schedule& lowered, const OpCosts& costs, OpKind kind, int stage)
{
    for (const engine::DeviceId d : lowered.program.ids())
        for (std::size_t i = 0; i < lowered.program[d].size(); ++i)
            if (lowered.program[d][i].kind == kind && lowered.program[d][i].stage.value == stage)
                return costs.of[d][i].duration;
    return -1;
}

} // namespace

TEST_CASE("a message of which nothing was recorded takes what those of other stages do, then what "
          "those the other way do")
{
    const Schedule asked = lower(scheduleOf("1f1b", 3, 8));
    const Run ofStage = withMessages(3, 5, [](const Op& op) {
        return op.kind == OpKind::SendActivation && op.stage.value == 1;
    });
    const auto byOthers = calibratedCosts(ofStage, asked, {.ownTimes = false});
    REQUIRE(byOthers);
    CHECK(durationOf(asked, *byOthers, OpKind::SendActivation, 1) == 3);
    CHECK(durationOf(asked, *byOthers, OpKind::SendGradient, 1) == 5);

    const Run oneWay
        = withMessages(3, 5, [](const Op& op) { return op.kind == OpKind::SendActivation; });
    const auto byBack = calibratedCosts(oneWay, asked, {.ownTimes = false});
    REQUIRE(byBack);
    CHECK(durationOf(asked, *byBack, OpKind::SendActivation, 1) == 5);
    const Run otherWay
        = withMessages(3, 5, [](const Op& op) { return op.kind == OpKind::SendGradient; });
    const auto byForth = calibratedCosts(otherWay, asked, {.ownTimes = false});
    REQUIRE(byForth);
    CHECK(durationOf(asked, *byForth, OpKind::SendGradient, 1) == 3);
}

TEST_CASE("an op that the run has takes its recorded time, in either direction")
{
    UnitCosts costs;
    costs.rules.jitter = {1, 5};
    const Run both = runOf(scheduleOf("chimera", 4, 4), costs); // 2 and 3 go up
    const Schedule down = lower(scheduleOf("1f1b", 4, 4));
    const auto taken = calibratedCosts(both, down);
    REQUIRE(taken);
    const RecordedTimes times = recordedTimes(both);
    const OpIndex index(both.schedule);
    int compared = 0;
    for (std::uint32_t number = 0; number < times.size(); ++number) {
        const Op& op = opAt(both.schedule, index, number);
        if (op.kind != OpKind::Forward || op.replica == 0)
            continue;
        for (const engine::DeviceId d : down.program.ids())
            for (std::size_t i = 0; i < down.program[d].size(); ++i)
                if (const Op& same = down.program[d][i]; same.kind == op.kind
                    && same.stage == op.stage && same.microBatch == op.microBatch) {
                    CHECK(taken->of[d][i].duration == times[number]->duration);
                    ++compared;
                }
    }
    CHECK(compared == 2 * 4);
}

TEST_CASE("a run with other sequence slices is refused for the slices, not for missing times")
{
    const Run two = runOf(scheduleOf("seq1f1b", 4, 8, {{"slices", "2"}}), {});
    CHECK(refusal(two, scheduleOf("seq1f1b", 4, 8, {{"slices", "4"}}))
              .find("has 2 slices per micro-batch but the schedule has 4")
          != std::string::npos);
}

TEST_CASE("an op's own time is its own, whether it runs alone or with the next")
{
    UnitCosts costs;
    costs.rules.jitter = {1, 10};
    const Run run = runOf(scheduleFrom({"0F1 (0F0 0B1) 0B0"}), costs);
    Schedule apart = run.schedule;
    for (Op& op : apart.program[{0}])
        op.flags = OpFlag::None;
    const auto asked = calibratedCosts(run, apart);
    REQUIRE(asked);
    const RecordedTimes times = recordedTimes(run);
    for (std::size_t i = 0; i < 4; ++i)
        CHECK(asked->of[{0}][i].duration == times[i]->duration);
}

TEST_CASE("if no op of a joint pair ran alone, a backward counts as two forwards")
{
    const RecordedTimes times = recordedTimes(runOf(scheduleFrom({"0F1 (0F0 0B1) (0F2 0B0)"}), {}));
    CHECK(times[1]->duration * 2 == times[2]->duration);
    CHECK(times[3]->duration * 2 == times[4]->duration);
}

// Only the last call counted.
TEST_CASE("an all-reduce of several calls takes as long as all of them")
{
    Schedule schedule = scheduleOf("gpipe", 1, 1);
    schedule.shape.dataParallel = 2;
    UnitCosts costs;
    costs.allReduce = {5};
    Run run = runOf(schedule, costs);
    const std::int64_t unit = run.info.ticksPerUnit;
    auto& spans
        = std::ranges::find(run.timeline.tracks, Track::Kind::AllReduce, &Track::kind)->spans;
    REQUIRE(spans.size() == 1);
    const Span whole = spans.front();
    spans = {whole, whole}; // calls of 1 and 3 units
    spans[0].end = whole.begin + unit;
    spans[1].begin = whole.end - 3 * unit;
    CHECK(recordedTimes(run)[whole.op]->duration == 4 * unit);
}

// Each of its windows had a vector of the ops of all windows.
TEST_CASE("all measured windows of a stream are one iteration, because each op runs once")
{
    ScheduleRequest request;
    request.scheme = "pipedream";
    const Run run = runOf(buildSchedule(asStream(request, {.measured = 3})).value(), {}, 3);
    std::ptrdiff_t spans = 0;
    for (const Track& track : run.timeline.tracks)
        spans += std::ranges::count_if(track.spans, [&run](const Span& span) {
            return run.timeline.iterations[span.iteration].kind == Iteration::Kind::Measured;
        });
    const auto windows = measuredWindows(run);
    REQUIRE(windows.size() == 1);
    CHECK(std::ssize(windows[0]) - std::ranges::count(windows[0], Window{0, -1}) == spans);
}

TEST_CASE("a replay counts alone, and a message that is there before its SEND ended is not late")
{
    Run run = runOf(scheduleOf("1f1b", 2, 1), {}, 2);
    run.timeline.iterations[1].kind = Iteration::Kind::Replay;
    const OpIndex index(run.schedule);
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans) {
            const OpKind kind = opAt(run.schedule, index, span.op).kind;
            if (span.iteration == 0 && kind == OpKind::Forward)
                span.end = span.begin; // as if it had taken no time
            if (kind == OpKind::RecvActivation)
                span.end -= 1;
        }
    const RecordedTimes times = recordedTimes(run);
    for (std::uint32_t op = 0; op < times.size(); ++op) {
        const OpKind kind = opAt(run.schedule, index, op).kind;
        if (kind == OpKind::Forward)
            CHECK(times[op]->duration == run.info.ticksPerUnit);
        if (kind == OpKind::SendActivation)
            CHECK(times[op]->latency == 0);
    }
}

// OPT also had the wait for its all-reduce, and calls during F and B counted in addition to these.
TEST_CASE("an imported all-reduce counts once, and from the last gradient of its stage on")
{
    Schedule schedule = scheduleOf("gpipe", 1, 1);
    schedule.shape.dataParallel = 2;
    UnitCosts costs;
    costs.allReduce = {5};
    costs.optimizer = {1};
    Run run = runOf(schedule, costs);
    const std::int64_t unit = run.info.ticksPerUnit;
    run.info.mode = Mode::Imported;
    auto& spans
        = std::ranges::find(run.timeline.tracks, Track::Kind::AllReduce, &Track::kind)->spans;
    REQUIRE(spans.size() == 1);
    Span early = spans.front();
    early.begin = 0;
    early.end = unit;
    spans.insert(spans.begin(), early);
    CHECK(recordedTimes(run)[early.op]->duration == 5 * unit);
    CHECK(predicted(run, schedule) == 1 + 2 + 5 + 1);
}
