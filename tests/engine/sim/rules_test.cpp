#include "engine/schedule/passes/passes.h"
#include "engine/sim/placer.h"
#include "tests/engine/sim/spans.h"
#include "tests/support/text_schedule.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace engine;
using namespace tests;

namespace {

// Two stages of two replicas; device 0 is done with stage 0 long before device 1.
Schedule meeting()
{
    return scheduleFrom(
        {"0F0 0B0 0ALLREDUCE 1F1u 1B1u 1ALLREDUCEu", "1F0 1B0 0F1u 0B1u 0ALLREDUCEu 1ALLREDUCE"});
}

} // namespace

TEST_CASE("a blocking send holds its device until it has left")
{
    UnitCosts costs;
    costs.p2p = {1, 2};
    const Schedule schedule = scheduleOf("gpipe", 2, 2);
    CHECK(spansOf(simulated(schedule, costs), 0, Track::Kind::Compute)[1] == "0F1 1-2");
    costs.rules.blockingSend = true;
    const Simulated run = simulated(schedule, costs);
    CHECK(spansOf(run, 0, Track::Kind::Compute)[1] == "0F1 1.5-2.5");
    CHECK(spansOf(run, 0, Track::Kind::Send) == Spans{"0SEND_F0 1-1.5", "0SEND_F1 2.5-3"});
}

TEST_CASE("a blocking all-reduce holds every device that holds the stage, until it is through")
{
    UnitCosts costs;
    costs.allReduce = {1};
    costs.rules.blockingAllReduce = true;
    const Simulated run = simulatedAsIs(
        scheduleFrom({"0F0 0B0 0ALLREDUCE 0F1 0B1", "0F2u 0B2u 0F3u 0B3u 0ALLREDUCEu"}), costs);
    CHECK(spansOf(run, 0, Track::Kind::AllReduce) == Spans{"0ALLREDUCE 6-7"});
    CHECK(spansOf(run, 0, Track::Kind::Compute)
          == Spans{"0F0 0-1", "0B0 1-3", "0F1 7-8", "0B1 8-10"});
    costs.rules.blockingAllReduce = false;
    CHECK(spansOf(simulatedAsIs(run.schedule, costs), 0, Track::Kind::Compute)[2] == "0F1 3-4");
}

TEST_CASE("a device that holds both replicas of a stage joins its blocking all-reduce with both")
{
    UnitCosts costs;
    costs.allReduce = {1};
    costs.rules.blockingAllReduce = true;
    const Simulated run
        = simulatedAsIs(scheduleFrom({"0F0 0F1u 0B0 0B1u 0ALLREDUCE 0ALLREDUCEu"}), costs);
    CHECK(run.iteration() == 7);
}

TEST_CASE("BitPipe's blocking all-reduces cost nothing where an all-reduce costs nothing")
{
    const Schedule lowered = lower(scheduleOf("bitpipe", 4, 4), SyncPolicy::EagerBlocking);
    UnitCosts costs;
    costs.rules.blockingAllReduce = true;
    CHECK(simulatedAsIs(lowered, costs).iteration() == 14);
}

TEST_CASE("ops that run as one take the factor of their sum")
{
    UnitCosts costs;
    costs.rules.joint = {4, 5};
    const Simulated run
        = simulatedAsIs(addP2P(scheduleFrom({"0F0 0F1 0B0 0B1", "1F0 (1F1 1B0) 1B1"})), costs);
    CHECK(spansOf(run, 1, Track::Kind::Compute)[1] == "1F1 2-4.4");
    CHECK(spansOf(run, 1, Track::Kind::Compute)[3] == "1B1 4.4-6.4");
}

TEST_CASE("joint ops of measured times take the factor of their sum, to the nanosecond")
{
    const Schedule schedule = scheduleFrom({"(0F0 0F1) 0B0 0B1"});
    OpCosts costs;
    costs.of = {{{7, 0}, {5, 0}, {1, 0}, {1, 0}}};
    costs.rules.joint = {4, 5};
    const auto timeline = simulate(schedule, costs);
    REQUIRE(timeline);
    CHECK(timeline->tracks[0].spans[0].window() == Window{0, 9}); // of 9.6
    costs.rules.joint = {999'999'999'000'000'001, 1'000'000'000};
    CHECK(simulate(schedule, costs)->tracks[0].spans[0].end == 11'999'999'988);
}

// The limit ignored the rules and the iterations, so that 64-bit times overflowed.
TEST_CASE("times that the rules or the number of iterations could overflow are refused")
{
    struct Row
    {
        Fraction joint, slowDown, jitter;
        int iterations;
        bool fits;
    };
    const Schedule schedule = scheduleFrom({"(0F0 0F1) 0B0 0B1"});
    for (const Row& row : {Row{{1}, {1}, {0}, 2, true},
                           {{1, 2}, {1}, {1}, 1, true},
                           {{1}, {1}, {0}, 3, false},
                           {{3}, {1}, {0}, 1, false},
                           {{1}, {3}, {0}, 1, false},
                           {{3, 2}, {1}, {1}, 1, false}}) {
        CAPTURE(textOf(row.joint), textOf(row.slowDown), textOf(row.jitter), row.iterations);
        OpCosts costs;
        costs.of = {std::vector<OpCosts::Cost>(4, {std::int64_t{1} << 58, 0})};
        costs.rules = {.joint = row.joint, .slowDown = row.slowDown, .jitter = row.jitter};
        CHECK(simulate(schedule, costs, {row.iterations}).has_value() == row.fits);

        OpPrices prices(schedule.shape); // whose bound is of four times the ops
        for (const OpKind kind : {OpKind::Forward, OpKind::Backward})
            prices.set(kind, StageId{0}, OpPrices::Part::Whole, LinkTier::InNode,
                       {std::int64_t{1} << 56, 0});
        prices.rules = costs.rules;
        CHECK(summarize(schedule, prices, {row.iterations}).has_value() == row.fits);
    }
}

TEST_CASE("an all-reduce takes the duration of its slowest member on all devices")
{
    const Schedule schedule = addP2P(meeting());
    OpCosts costs; // of stage 0 device 0 says 5, of stage 1 device 1 says 7; the others 1
    for (std::int32_t device = 0; device < 2; ++device)
        for (auto& ofDevice = costs.of.emplace_back(); const Op& op : schedule.on(DeviceId{device}))
            ofDevice.push_back({op.kind != OpKind::AllReduce || op.stage.value != device ? 1
                                    : device == 0                                        ? 5
                                                                                         : 7,
                                0});
    const auto timeline = simulate(schedule, costs);
    REQUIRE(timeline);
    for (int device = 0; device < 2; ++device) {
        const auto& spans = timeline->track(DeviceId{device}, Track::Kind::AllReduce)->spans;
        REQUIRE(spans.size() == 2);
        CHECK(spans[0].window().duration() == 5);
        CHECK(spans[1].window().duration() == 7);
    }
}

TEST_CASE("both ends of a tied head sum at the same time, when the later one has its gradient")
{
    UnitCosts costs;
    costs.allReduce = {2};
    const Schedule tied = tieEmbeddings(lower(scheduleOf("1f1b", 4, 4)), SyncPolicy::Eager);
    REQUIRE(hasTiedEmbeddings(tied));
    const Simulated run = simulatedAsIs(tied, costs);
    const auto windowOn = [&run](int device) {
        const Track* track = run.timeline.track(DeviceId{device}, Track::Kind::AllReduce);
        REQUIRE(track != nullptr);
        REQUIRE(track->spans.size() == 1);
        return track->spans[0].window();
    };
    CHECK(windowOn(0) == windowOn(3));
    CHECK(run.units(windowOn(0).begin) == 21); // behind the last B of the first stage
    CHECK(run.units(windowOn(0).duration()) == 2);
    CHECK(run.iteration() == 23);
}

TEST_CASE("compute beside an all-reduce of its device is slowed down while that lasts")
{
    UnitCosts costs;
    costs.allReduce = {2};
    costs.rules.slowDown = {2};
    const Simulated run = simulatedAsIs(
        scheduleFrom({"0F0 0ALLREDUCE 0B0 0F1 0B1", "0F2u 0ALLREDUCEu 0B2u"}), costs);
    CHECK(spansOf(run, 0, Track::Kind::AllReduce) == Spans{"0ALLREDUCE 1-3"});
    // Of the two units of B0 one is done beside the all-reduce, in two units of time.
    CHECK(spansOf(run, 0, Track::Kind::Compute)
          == Spans{"0F0 0-1", "0B0 1-4", "0F1 4-5", "0B1 5-7"});
}

TEST_CASE("a slowed device may delay the next all-reduce")
{
    UnitCosts costs;
    costs.allReduce = {2}; // two chunks a device: one unit each
    costs.rules.slowDown = {2};
    const Simulated run = simulatedAsIs(addP2P(meeting()), costs);
    for (int device = 0; device < 2; ++device) {
        const auto reduces = run.timeline.track(DeviceId{device}, Track::Kind::AllReduce)->spans;
        const auto& computes = run.timeline.track(DeviceId{device}, Track::Kind::Compute)->spans;
        std::int64_t beside = 0, took = 0, costsAlone = 0;
        const OpCosts resolved = costsOf(run.schedule, costs);
        const OpIndex index(run.schedule);
        for (const Span& compute : computes) {
            took += compute.window().duration();
            costsAlone += resolved.of[{device}][index.positionOf(compute.op)].duration;
            for (const Span& reduce : reduces)
                beside += std::max<std::int64_t>(
                    0, std::min(compute.end, reduce.end) - std::max(compute.begin, reduce.begin));
        }
        CHECK(took == costsAlone + beside / 2); // half of what is beside is lost
    }
}

TEST_CASE("stretched work: before, beside and behind the windows")
{
    const std::vector<Window> windows{{10, 20}, {30, 34}};
    CHECK(sim::stretched({0, 5}, {2}, windows) == 5);
    CHECK(sim::stretched({5, 15}, {2}, windows) == 20); // 5 before, 5 beside in 10
    CHECK(sim::stretched({5, 30}, {2}, windows) == 37); // 5, 5 of 10, 10, 2 of 4, 3
    CHECK(sim::stretched({12, 13}, {3}, windows) == 15);
    CHECK(sim::stretched({40, 41}, {3}, windows) == 41);
    CHECK(sim::stretched({0, 10}, {2}, windows) == 10);
}

TEST_CASE("jitter is even, bounded, the same for the same seed and another for another")
{
    UnitCosts costs;
    costs.rules.jitter = {1, 10};
    costs.rules.seed = 7;
    const Schedule lowered = lower(scheduleOf("1f1b", 4, 64));
    const Simulated run = simulatedAsIs(lowered, costs);
    double sum = 0;
    int count = 0;
    std::set<std::int64_t> durations;
    for (const Span& span : run.timeline.track(DeviceId{3}, Track::Kind::Compute)->spans) {
        if (span.begin == span.end)
            continue;
        const double expected
            = opAt(lowered, OpIndex(lowered), span.op).kind == OpKind::Forward ? 1 : 2;
        const double share = run.units(span.window().duration()) / expected;
        CHECK(share >= 0.9);
        CHECK(share <= 1.1);
        sum += share;
        ++count;
        durations.insert(span.window().duration());
    }
    CHECK(std::fabs(sum / count - 1) < 0.015); // a standard error is 0.005
    CHECK(durations.size() > 120);
    CHECK(simulatedAsIs(lowered, costs).timeline == run.timeline);
    costs.rules.seed = 8;
    CHECK_FALSE(simulatedAsIs(lowered, costs).timeline == run.timeline);
}

TEST_CASE("the slices of a micro-batch are drawn apart, and so are its directions")
{
    TimingRules rules;
    rules.jitter = {1, 10};
    const sim::Jitter jitter(rules, 0);
    Op first, second, up;
    first.slice = 0;
    second.slice = 1;
    up.slice = 0;
    up.replica = 1;
    CHECK(jitter(1'000'000, first) != jitter(1'000'000, second));
    CHECK(jitter(1'000'000, first) != jitter(1'000'000, up));
}

TEST_CASE("iterations differ under jitter, and are alike without it")
{
    UnitCosts costs;
    costs.rules.jitter = {1, 10};
    const Schedule lowered = lower(scheduleOf("1f1b", 4, 8));
    const auto timeline = simulate(lowered, costsOf(lowered, costs), {.iterations = 2});
    REQUIRE(timeline);
    CHECK(timeline->iterations[0].window.duration() != timeline->iterations[1].window.duration());
}

// The places of RECVs of case M: PyTorch executes a RECV at its place, before a forward that does
// not need it.
TEST_CASE("a deferred RECV blocks its device at its place until its message has arrived")
{
    Schedule early = lower(scheduleOf("1f1b", 2, 2));
    auto& ops = early.program[{0}];
    std::rotate(ops.begin() + 2, ops.begin() + 4, ops.begin() + 5);
    CHECK(toString(ops[2]) == "0RECV_B0");
    UnitCosts costs;
    costs.p2p = {1};
    CHECK(spansOf(simulatedAsIs(early, costs), 0, Track::Kind::Compute)
          == Spans{"0F0 0-1", "0F1 1-2", "0B0 6-8", "0B1 9-11", "0OPT 11-11"});
    costs.rules.receive = ReceiveRule::Deferred;
    CHECK(spansOf(simulatedAsIs(early, costs), 0, Track::Kind::Compute)
          == Spans{"0F0 0-1", "0F1 6-7", "0B0 7-9", "0B1 12-14", "0OPT 14-14"});
}

TEST_CASE("a deferred message begins when both of its devices have reached it")
{
    UnitCosts costs;
    costs.p2p = {1};
    costs.rules.receive = ReceiveRule::Deferred;
    const Simulated run = simulated(scheduleOf("gpipe", 2, 2), costs);
    CHECK(spansOf(run, 0, Track::Kind::Send) == Spans{"0SEND_F0 1-2", "0SEND_F1 3-4"});
    CHECK(spansOf(run, 1, Track::Kind::Compute)[1] == "1F1 4-5");
}

// Without the batches of Megatron-LM both devices of 1F1B would send and neither would receive.
TEST_CASE("synchronous messages of 1F1B meet in pairs and do not deadlock")
{
    UnitCosts costs;
    costs.p2p = {1};
    costs.rules.blockingSend = true;
    costs.rules.receive = ReceiveRule::Deferred;
    // Device 0: F, send, F, send and receive, B, F, ...; every message delays both devices.
    CHECK(simulated(scheduleOf("1f1b", 2, 2), costs).iteration() == 12);
}
