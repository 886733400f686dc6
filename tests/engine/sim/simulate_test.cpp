#include "engine/base/cancel.h"
#include "engine/schedule/passes/passes.h"
#include "engine/sim/simulate.h"
#include "tests/engine/sim/spans.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace tests;

namespace {

constexpr int kDevices[] = {2, 3, 4, 5, 8, 13, 16, 32, 64};

} // namespace

TEST_CASE("the GPipe and 1F1B iterations last 3N + 3(D-1), so their bubble is (D-1)/(N+D-1)")
{
    for (const std::string scheme : {"gpipe", "1f1b"})
        for (const int devices : kDevices)
            for (const int microBatches : {1, 2, devices, 2 * devices + 1, 4 * devices}) {
                INFO(scheme << " D=" << devices << " N=" << microBatches);
                CHECK(simulated(scheduleOf(scheme, devices, microBatches)).iteration()
                      == 3 * microBatches + 3 * (devices - 1));
            }
}

TEST_CASE("the BitPipe iteration lasts 3N + (D-2)(K+1)/2, so its bubble at N = D is "
          "(D-2)/(3N+D-2)")
{
    for (int devices = 2; devices <= 64; devices += devices < 16 ? 2 : 16)
        for (int units = 1; units <= (devices <= 16 ? 8 : 2); ++units) {
            const int microBatches = units * devices;
            INFO("D=" << devices << " N=" << microBatches);
            CHECK(simulated(scheduleOf("bitpipe", devices, microBatches)).iteration()
                  == 3 * microBatches + (devices - 2) * (units + 1) / 2.0);
        }
}

TEST_CASE("BitPipe on four devices with four micro-batches has the numbers of the contract")
{
    const Simulated run = simulated(scheduleOf("bitpipe", 4, 4));
    CHECK(run.iteration() == 14);
    CHECK(run.span(0) == 14);
    CHECK(run.span(1) == 12.5);
    CHECK(run.span(2) == 12.5);
    CHECK(run.span(3) == 14);
    CHECK(messagesSent(run.schedule) == std::vector<int>{8, 16, 16, 8});
    CHECK(localCopies(run.schedule) == std::vector<int>{4, 0, 0, 4});
}

TEST_CASE("a message keeps its link busy for p2p and arrives a latency later")
{
    UnitCosts costs;
    costs.p2p = {1, 2};
    costs.latency = {1, 4};
    const Simulated run = simulated(scheduleOf("1f1b", 2, 1), costs);
    CHECK(spansOf(run, 0, Track::Kind::Compute) == Spans{"0F0 0-1", "0B0 5.5-7.5", "0OPT 7.5-7.5"});
    CHECK(spansOf(run, 0, Track::Kind::Send) == Spans{"0SEND_F0 1-1.5"});
    CHECK(spansOf(run, 1, Track::Kind::Receive) == Spans{"1RECV_F0 1.25-1.75"});
    CHECK(spansOf(run, 1, Track::Kind::Compute)
          == Spans{"1F0 1.75-2.75", "1B0 2.75-4.75", "1OPT 4.75-4.75"});
    CHECK(spansOf(run, 0, Track::Kind::Receive) == Spans{"0RECV_B0 5-5.5"});
    CHECK(run.iteration() == 7.5);
}

TEST_CASE("messages of one direction queue for their link, those of the other do not")
{
    UnitCosts costs;
    costs.p2p = {3};
    const Simulated run = simulated(scheduleOf("gpipe", 2, 2), costs);
    CHECK(spansOf(run, 0, Track::Kind::Send) == Spans{"0SEND_F0 1-4", "0SEND_F1 4-7"});
    CHECK(spansOf(run, 1, Track::Kind::Compute)
          == Spans{"1F0 4-5", "1F1 7-8", "1B0 8-10", "1B1 10-12", "1OPT 12-12"});
    CHECK(spansOf(run, 1, Track::Kind::Send) == Spans{"1SEND_B0 10-13", "1SEND_B1 13-16"});
    CHECK(spansOf(run, 0, Track::Kind::Compute).back() == "0OPT 18-18");
}

TEST_CASE("transfers that cost nothing keep their spans, without length")
{
    const Simulated run = simulated(scheduleOf("1f1b", 2, 2));
    CHECK(spansOf(run, 0, Track::Kind::Send) == Spans{"0SEND_F0 1-1", "0SEND_F1 2-2"});
    CHECK(spansOf(run, 1, Track::Kind::Receive) == Spans{"1RECV_F0 1-1", "1RECV_F1 2-2"});
}

TEST_CASE("an all-reduce starts when the last holder of its stage has come, its step behind it")
{
    UnitCosts costs;
    costs.allReduce = {1};
    costs.optimizer = {1, 2};
    const Simulated run = simulatedAsIs(
        scheduleFrom({"0F0 0B0 0ALLREDUCE 0OPT", "0F1u 0B1u 0F2u 0B2u 0ALLREDUCEu 0OPTu"}), costs);
    CHECK(spansOf(run, 0, Track::Kind::AllReduce) == Spans{"0ALLREDUCE 6-7"});
    CHECK(spansOf(run, 1, Track::Kind::AllReduce) == Spans{"0ALLREDUCEu 6-7"});
    CHECK(spansOf(run, 0, Track::Kind::Compute) == Spans{"0F0 0-1", "0B0 1-3", "0OPT 7-7.5"});
    CHECK(run.iteration() == 7.5);
}

TEST_CASE("an eager all-reduce hides behind the backwards that are left, a late one does not")
{
    UnitCosts costs;
    costs.allReduce = {1};
    const Schedule schedule = scheduleOf("bitpipe", 4, 4);
    const double eager = simulatedAsIs(lower(schedule, SyncPolicy::Eager), costs).iteration();
    const double late = simulatedAsIs(lower(schedule, SyncPolicy::Late), costs).iteration();
    CHECK(eager == 14.5); // only the last stage's half unit is seen
    CHECK(late == 16);    // four of half a unit each
}

TEST_CASE("without copies of a stage an optimizer step waits for no device")
{
    UnitCosts costs;
    costs.optimizer = {1};
    CHECK(simulated(scheduleOf("1f1b", 4, 8), costs).iteration() == 33 + 1);
}

TEST_CASE("joint ops start together when both can and end together")
{
    const Simulated run = simulated(scheduleFrom({"0F0 0F1 0B0 0B1", "1F0 (1F1 1B0) 1B1"}));
    CHECK(spansOf(run, 1, Track::Kind::Compute)
          == Spans{"1F0 1-2", "1F1 2-5", "1B0 2-5", "1B1 5-7", "1OPT 7-7"});
    CHECK(run.iteration() == 9);
}

TEST_CASE("slices, halves and split backwards are timed by their share")
{
    CHECK(
        simulated(scheduleFrom({"0F0.0 0F0.1 0B0.1 0B0.0", "1F0.0 1F0.1 1B0.1 1B0.0"})).iteration()
        == 4.5);
    CHECK(simulated(scheduleFrom({"0F0 0I0 0W0", "1F0 1I0 1W0"})).iteration() == 5);
    Schedule halves = scheduleFrom({"0F0 0B0.0 0B0.1", "1F0 1B0.0 1B0.1"});
    for (auto& ops : halves.program)
        for (Op& op : ops)
            op.flags = isBackward(op.kind) ? OpFlag::Half : OpFlag::None;
    CHECK(simulated(halves).iteration() == 5);
}

TEST_CASE("iterations run back to back, each like the first")
{
    const Schedule lowered = lower(scheduleOf("bitpipe", 4, 8));
    const OpCosts costs = costsOf(lowered);
    const auto timeline = simulate(lowered, costs, {3});
    REQUIRE(timeline);
    REQUIRE(timeline->iterations.size() == 3);
    const std::int64_t duration = timeline->iterations[0].window.duration();
    for (std::uint32_t i = 0; i < 3; ++i) {
        CHECK(timeline->iterations[i].number == static_cast<int>(i));
        CHECK(timeline->iterations[i].window == Window{i * duration, (i + 1) * duration});
    }
    for (const Track& track : timeline->tracks) {
        const std::size_t count = track.spans.size() / 3;
        for (std::size_t i = 0; i < track.spans.size(); ++i) {
            const Span& first = track.spans[i % count];
            const auto number = static_cast<std::uint32_t>(i / count);
            const std::int64_t shift = number * duration;
            CHECK(track.spans[i] == Span{first.begin + shift, first.end + shift, first.op, number});
        }
    }
}

TEST_CASE("an iteration is placed after the timeline's end and keeps its number and kind")
{
    const Schedule lowered = lower(scheduleOf("1f1b", 2, 2));
    const OpCosts costs = costsOf(lowered);
    Timeline timeline = simulate(lowered, costs).value();
    const std::int64_t end = timeline.iterations.back().window.end;
    Iteration iteration;
    iteration.kind = Iteration::Kind::Replay;
    iteration.loss = 2.5;
    REQUIRE(placeIteration(lowered, costs, iteration, timeline));
    CHECK(timeline.iterations.back().window == Window{end, 2 * end});
    CHECK(timeline.iterations.back().kind == Iteration::Kind::Replay);
    CHECK(timeline.iterations.back().loss == 2.5);
}

TEST_CASE("a schedule that deadlocks is an error that names a device, and leaves no trace")
{
    const Schedule lowered = lower(scheduleFrom({"0F0 0B0 0F1 0B1", "1F0 1F1 1B0 1B1"}));
    const Schedule fine = lower(scheduleOf("1f1b", 2, 2));
    Timeline timeline = simulate(fine, costsOf(fine)).value();
    const Timeline before = timeline;
    const auto placed = placeIteration(lowered, costsOf(lowered), {}, timeline);
    REQUIRE_FALSE(placed);
    CHECK(placed.error().message
          == "the schedule deadlocks: device 0 waits forever at index 3, 0B0; run bscope validate "
             "for the reason");
    CHECK(timeline == before);
}

TEST_CASE("all-reduces in different orders, or an order without transfers, are deadlocks too")
{
    const Schedule crossed = scheduleFrom(
        {"0F0 1F1u 1B1u 1ALLREDUCEu 0B0 0ALLREDUCE", "0F1u 1F0 1B0 0B1u 0ALLREDUCEu 1ALLREDUCE"});
    const Schedule lowered = addP2P(crossed);
    CHECK_THAT(simulate(lowered, costsOf(lowered)).error().message,
               Catch::Contains("all-reduces in different orders"));
    const Schedule computeOnly = scheduleOf("1f1b", 2, 1);
    CHECK_FALSE(simulate(computeOnly, costsOf(computeOnly)));
}

TEST_CASE("ops that fit no stage, and copies without a partner, are refused")
{
    Schedule schedule = lower(scheduleOf("1f1b", 2, 1));
    schedule.program[{1}][0].microBatch = MicroBatchId{7};
    CHECK_THAT(simulate(schedule, costsOf(schedule)).error().message,
               Catch::StartsWith("device 1, index 0: 1RECV_F7 is not valid in this schedule"));
    schedule = scheduleFrom({"0F0 0EVICT0 0LOAD0 0B0", "1F0 1B0"});
    schedule.program[{0}][1].peer = 9;
    CHECK_THAT(simulate(schedule, costsOf(schedule)).error().message,
               Catch::StartsWith("device 0, index 1: 0EVICT0 is not valid in this schedule"));
}

// The local gradient waited for the message that carries it to the previous device.
TEST_CASE("a slice's gradient reaches the previous slice of its device without a link")
{
    // Device 1 runs B of both slices back to back: 2 x F, 2 x B of half a micro-batch.
    UnitCosts costs;
    costs.p2p = {1};
    costs.latency = {5};
    const Simulated run = simulated(scheduleOf("seq1f1b", 2, 1), costs);
    const Track* track = run.timeline.track(DeviceId{1}, Track::Kind::Compute);
    REQUIRE(track != nullptr);
    const OpIndex index(run.schedule);
    std::vector<Window> backwards;
    for (const Span& span : track->spans)
        if (opAt(run.schedule, index, span.op).kind == OpKind::Backward)
            backwards.push_back(span.window());
    REQUIRE(backwards.size() == 2);
    CHECK(backwards[1].begin == backwards[0].end);
}

TEST_CASE("an op waits for the all-gather of its stage, which runs behind compute")
{
    Schedule schedule = scheduleFrom({"0UNSHARD 1UNSHARD 0F0 1F0 0RESHARD 1B0 0UNSHARD 0B0 "
                                      "1ALLREDUCE 0ALLREDUCE"});
    schedule.shape.dataParallel = 2;
    UnitCosts costs;
    costs.allReduce = {3}; // of both stages
    const Simulated run = simulatedAsIs(lower(schedule), costs);
    CHECK(
        spansOf(run, 0, Track::Kind::Compute)
        == Spans{"0F0 1.5-2", "1F0 3-3.5", "1B0 3.5-4.5", "0B0 6-7", "1OPT 8.5-8.5", "0OPT 10-10"});
    CHECK(spansOf(run, 0, Track::Kind::AllReduce)
          == Spans{"0UNSHARD 0-1.5", "1UNSHARD 1.5-3", "0RESHARD 3.5-3.5", "0UNSHARD 4.5-6",
                   "1ALLREDUCE 7-8.5", "0ALLREDUCE 8.5-10"});
}

TEST_CASE("a simulation is cancelled midway, by the flag of the scope around it")
{
    const Schedule order = scheduleOf("1f1b", 4, 8);
    const Schedule lowered = lower(order, SyncPolicy::Eager);
    const OpCosts costs = *unitOpCosts(lowered, {});
    std::atomic<bool> isCancelled = false;
    const CancelScope scope(&isCancelled);
    CHECK(simulate(lowered, costs));
    isCancelled = true;
    CHECK_THROWS_AS(simulate(lowered, costs), Cancelled);
    CHECK_THROWS_AS(addP2P(order), Cancelled);
}
