#include "engine/base/cancel.h"
#include "engine/schedule/notation.h"
#include "engine/schedules/scheme.h"
#include "profiler/analysis/metrics.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/own_replay.h"
#include "profiler/whatif/predict.h"
#include "profiler/why/why.h"
#include "profiler/why/why_text.h"
#include "tests/profiler/why/connected.h"
#include "tests/support/paths.h"

#include <algorithm>

using namespace analysis_test;
using namespace why_test;
using namespace engine;
using namespace profiler;

namespace {

std::string spelled(const Run& run, const CriticalPath& path)
{
    static constexpr std::array kNames{"", "", "wait for "};
    const OpIndex index(run.schedule);
    std::string text;
    for (const PathPart& part : path.parts)
        text += (text.empty() ? "" : ", ")
            + std::string(kNames[static_cast<std::size_t>(part.kind)])
            + toString(opAt(run.schedule, index, part.op)) + "@" + std::to_string(part.window.begin)
            + "-" + std::to_string(part.window.end);
    return text;
}

const WhyReason* find(const Why& why, WhyReason::Kind kind)
{
    const auto found = std::ranges::find(why.reasons, kind, &WhyReason::kind);
    return found == why.reasons.end() ? nullptr : &*found;
}

double effect(const Run& run, const Why& why, WhyReason::Kind kind)
{
    const WhyReason* reason = find(why, kind);
    REQUIRE(reason != nullptr);
    REQUIRE(reason->change);
    return units(run, WhyEffects(run, why.path.iteration).of(*reason->change).value().difference);
}

using Steps = std::vector<std::pair<Breakdown::Step::Kind, std::int64_t>>;

Steps steps(const Breakdown& breakdown)
{
    Steps steps;
    for (const Breakdown::Step& step : breakdown.steps)
        steps.emplace_back(step.kind, step.time);
    return steps;
}

std::int64_t total(const Breakdown& breakdown)
{
    std::int64_t sum = breakdown.work;
    for (const auto& [kind, time] : steps(breakdown))
        sum += time;
    return sum;
}

UnitCosts uneven()
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    costs.latency = {1, 10};
    costs.optimizer = {1, 2};
    costs.allReduce = {1};
    costs.transfer = {1, 4};
    costs.rules.jitter = {1, 10};
    costs.rules.seed = 7;
    return costs;
}

} // namespace

TEST_CASE("the path of 1F1B fills the pipeline, stays on the last device and drains it")
{
    const Run run = simulated("1f1b", 4, 8);
    const Why why = whyNotFaster(run).value();
    CHECK(units(run, why.iteration()) == 33); // 3 (N + D - 1)
    CHECK(why.shares.total() == why.iteration());
    CHECK(why.shares.waits == 0);
    const WhyReason* fill = find(why, WhyReason::Kind::Fill);
    const WhyReason* drain = find(why, WhyReason::Kind::Drain);
    REQUIRE(fill);
    REQUIRE(drain);
    CHECK(units(run, fill->time) == 3); // D - 1 forwards
    CHECK(fill->device == DeviceId{3});
    CHECK(units(run, drain->time) == 6); // D - 1 backwards
    CHECK(drain->count == 3);
    CHECK(drain->window == Window{why.path.window.end - drain->time, why.path.window.end});
    CHECK(plainText(reasonSentence(run, why, *drain), run.info.ticksPerUnit)
          == "Drain 6.0 units: 3 ops on the path after the last one of device 3");
    CHECK(plainText(reasonSentence(run, why, *fill), run.info.ticksPerUnit)
          == "Device 3 waits 3.0 units for its first op 3F0 (fill)");
}

TEST_CASE("the bound of 1F1B is the work of a device, and its chain is one micro-batch")
{
    const Run run = simulated("1f1b", 4, 8);
    const LowerBound bound = whyNotFaster(run)->bound;
    CHECK(bound.kind == LowerBound::Kind::Work);
    CHECK(units(run, bound.time) == 24);   // N (F + B)
    CHECK(units(run, bound.chain) == 12);  // D (F + B)
    CHECK(units(run, bound.memory) == 24); // 8 stashes of 12 units, 4 at a time
    CHECK(plainText(boundSentence(bound), run.info.ticksPerUnit)
          == "At least 24.0 units with these costs (work of device 3, the busiest; the longest "
             "chain of dependencies takes 12.0 units).");
}

TEST_CASE("the iteration of 1F1B is the work of its last device, its drain and its fill")
{
    const Run run = simulated("1f1b", 4, 8);
    const Breakdown breakdown = whyNotFaster(run)->breakdown.value();
    CHECK(breakdown.device == DeviceId{3}); // all work equally long, and it is on the path
    CHECK(units(run, breakdown.work) == 24);
    using enum Breakdown::Step::Kind;
    const std::int64_t unit = run.info.ticksPerUnit;
    CHECK(steps(breakdown) == Steps{{Drain, 6 * unit}, {Fill, 3 * unit}});
    CHECK(breakdown.steps[0].window == Window{27 * unit, 33 * unit});
}

TEST_CASE("a wait is divided into messages, another order, and the work of other devices")
{
    const Run run = connected(handMade({.devices = 2, .stages = 2, .microBatches = 2}, {0, 36},
                                       {{0, "0F0", 0, 2},
                                        {0, "0SEND_F0", 2, 3},
                                        {0, "0RECV_B0", 13, 14},
                                        {0, "0B0", 14, 18}, // 0F1 could run
                                        {0, "0F1", 18, 20},
                                        {0, "0SEND_F1", 20, 21},
                                        {0, "0RECV_B1", 31, 32},
                                        {0, "0B1", 32, 36},
                                        {1, "1RECV_F0", 2, 3},
                                        {1, "1F0", 3, 8},
                                        {1, "1B0", 8, 13},
                                        {1, "1SEND_B0", 13, 14},
                                        {1, "1RECV_F1", 20, 21},
                                        {1, "1F1", 21, 26},
                                        {1, "1B1", 26, 31},
                                        {1, "1SEND_B1", 31, 32}}));
    const Breakdown breakdown = whyNotFaster(run)->breakdown.value();
    using enum Breakdown::Step::Kind;
    CHECK(breakdown.device == DeviceId{1});
    CHECK(breakdown.work == 20);
    CHECK(steps(breakdown) == Steps{{Drain, 5}, {Order, 4}, {Fill, 3}, {Messages, 2}, {Others, 2}});
    CHECK(breakdown.steps[1].window == Window{14, 18});
}

TEST_CASE("an op that starts after its input has arrived starts late")
{
    const Run run = handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 20},
                             {{0, "0F0", 0, 2},
                              {0, "0SEND_F0", 3, 4},
                              {0, "0RECV_B0", 13, 14},
                              {0, "0B0", 16, 20},
                              {1, "1RECV_F0", 3, 4},
                              {1, "1F0", 7, 9},
                              {1, "1B0", 9, 13},
                              {1, "1SEND_B0", 13, 14}});
    using enum Breakdown::Step::Kind;
    CHECK(steps(whyNotFaster(run)->breakdown.value())
          == Steps{{Others, 10}, {Messages, 2}, {Waits, 2}});
}

TEST_CASE("a wait before an op without an input is not attributed")
{
    const Run run
        = handMade({.devices = 1, .stages = 1, .microBatches = 2}, {0, 13},
                   {{0, "0F0", 0, 2}, {0, "0F1", 5, 7}, {0, "0B0", 7, 10}, {0, "0B1", 10, 13}});
    using enum Breakdown::Step::Kind;
    const Breakdown breakdown = whyNotFaster(run)->breakdown.value();
    CHECK(breakdown.work == 10);
    CHECK(steps(breakdown) == Steps{{Unknown, 3}});
}

TEST_CASE("a wait before the optimizer step is a part of the drain")
{
    const Run run = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 10},
                             {{0, "0F0", 0, 2}, {0, "0B0", 2, 6}, {0, "0OPT", 8, 10}});
    using enum Breakdown::Step::Kind;
    CHECK(steps(whyNotFaster(run)->breakdown.value()) == Steps{{Drain, 2}});
}

TEST_CASE("the memory of a device binds if messages keep its stashes alive")
{
    UnitCosts costs;
    costs.latency = {1};
    const Run run = simulated("1f1b", 4, 8, costs);
    const LowerBound bound = whyNotFaster(run)->bound;
    CHECK(bound.kind == LowerBound::Kind::Memory);
    CHECK(bound.device == DeviceId{0});
    CHECK(bound.stashes == 4);
    CHECK(units(run, bound.time) == 36); // 8 stashes of 12 + 6 units, 4 at a time
    CHECK(bound.time <= whyNotFaster(run)->iteration());
}

TEST_CASE("a single micro-batch is bound by its chain of dependencies")
{
    UnitCosts costs;
    costs.latency = {1, 2};
    const Run run = simulated("gpipe", 4, 1, costs);
    const Why why = whyNotFaster(run).value();
    CHECK(why.bound.kind == LowerBound::Kind::Chain);
    CHECK(units(run, why.bound.time) == 15); // D (F + B) and 2 (D - 1) messages
    CHECK(why.bound.time == why.iteration());
}

TEST_CASE("a split backward passes each gradient on before its W")
{
    const Run run = simulated("gpipe", 4, 8);
    WhyChange change;
    change.kind = WhyChange::Kind::SplitBackward;
    CHECK(units(run, WhyEffects(run, 0).of(change).value().difference) == -3); // D - 1 times W
}

// The gain of a change was stated, coloured and ranked as if it were measured.
TEST_CASE("the gain of a change has the errors of earlier predictions")
{
    Run run = simulated("gpipe", 4, 8); // 33 units
    run.info.ticksPerUnit = 1;
    WhyChange split;
    split.kind = WhyChange::Kind::SplitBackward;
    ChangeEffect effect = WhyEffects(run, 0).of(split).value();
    CHECK((effect.least == effect.difference && effect.most == effect.difference));
    CHECK(effect.isDistinguishable());
    run.info.mode = Mode::Emulate;
    run.info.label = "gpipe";
    effect = WhyEffects(run, 0).of(split).value();
    const double changed = static_cast<double>(run.timeline.iterations.front().window.duration()
                                               + effect.difference);
    CHECK(static_cast<double>(effect.difference - effect.least)
          == Approx(kOrderError * changed).margin(1));
    // I and W may also take 1.2 times as long as B: 0.2 * 8 B and the I of the last stage.
    CHECK(static_cast<double>(effect.most - effect.difference) > 2 * kOrderError * changed);
    CHECK_FALSE(effect.isDistinguishable()); // 3 of 33 units
    WhyChange waits;
    effect = WhyEffects(run, 0).of(waits).value(); // the order stays, and no op of the run waits
    CHECK((effect.least == 0 && effect.most == 0));
}

TEST_CASE("twice as fast links take half of the messages of the path away")
{
    UnitCosts costs;
    costs.latency = {1};
    const Run run = simulated("gpipe", 4, 8, costs);
    const Why why = whyNotFaster(run).value();
    CHECK(why.shares.messageCount == 6);
    CHECK(units(run, why.shares.messages) == 6);
    CHECK(effect(run, why, WhyReason::Kind::Messages) == -3);
}

// Half of one tick was rounded to none: the gain was 12.4.
TEST_CASE("a message of one tick is twice as fast in half a tick")
{
    UnitCosts costs;
    costs.p2p = {1, 10};
    const Run run = simulated("1f1b", 8, 64, costs);
    const Why why = whyNotFaster(run).value();
    CHECK(units(run, why.shares.messages) == Approx(12.4));
    CHECK(effect(run, why, WhyReason::Kind::Messages) == Approx(-6.2));
    const auto schemes = fasterSchemes(run).value();
    const auto zbv = std::ranges::find(schemes, "zb-v", &FasterScheme::scheme);
    REQUIRE(zbv != schemes.end());
    CHECK(units(run, zbv->iteration) == Approx(198.8));
}

TEST_CASE("two chunks halve the fill and the drain of 1F1B")
{
    const Run run = simulated("1f1b", 4, 8);
    // (D - 1) (F + B) / v more than the work: 4.5 in place of 9 units.
    CHECK(effect(run, whyNotFaster(run).value(), WhyReason::Kind::Fill) == Approx(-4.5));
}

TEST_CASE("a slow stage is named with its excess and the gain if it were equal")
{
    UnitCosts costs;
    costs.stages = {{2, {1}, {3}}};
    const Run run = simulated("gpipe", 4, 8, costs);
    const Why why = whyNotFaster(run).value();
    const WhyReason* slow = find(why, WhyReason::Kind::SlowStage);
    REQUIRE(slow);
    CHECK(slow->change->stage == StageId{2});
    CHECK(slow->change->opKind == OpKind::Backward);
    CHECK(slow->excess == Approx(0.5));
    CHECK(slow->count == 8);
    CHECK(units(run, slow->time) == 8);
    CHECK(effect(run, why, WhyReason::Kind::SlowStage) == -8);
    CHECK(plainText(reasonSentence(run, why, *slow), run.info.ticksPerUnit)
          == "B of stage 2 is 50 % slower than the median stage, 8 times: 8.0 units");
}

// The second op of a joint pair has the time of both; its stage was called slow.
TEST_CASE("joint ops of equal stages name no slow stage")
{
    const Run run = simulated("dualpipe", 4, 8);
    CHECK(find(whyNotFaster(run).value(), WhyReason::Kind::SlowStage) == nullptr);
}

TEST_CASE("a backward behind a forward is named, and the exchange of both is simulated")
{
    const Run run = connected(handMade({.devices = 2, .stages = 2, .microBatches = 2}, {0, 21},
                                       {{0, "0F0", 0, 2},
                                        {0, "0SEND_F0", 2, 2},
                                        {0, "0F1", 2, 9}, // long
                                        {0, "0SEND_F1", 9, 9},
                                        {0, "0RECV_B0", 8, 8},
                                        {0, "0B0", 9, 13},
                                        {0, "0RECV_B1", 15, 15},
                                        {0, "0B1", 15, 19},
                                        {0, "0OPT", 19, 21},
                                        {1, "1RECV_F0", 2, 2},
                                        {1, "1F0", 2, 4},
                                        {1, "1B0", 4, 8},
                                        {1, "1SEND_B0", 8, 8},
                                        {1, "1RECV_F1", 9, 9},
                                        {1, "1F1", 9, 11},
                                        {1, "1B1", 11, 15},
                                        {1, "1SEND_B1", 15, 15}}));
    const Why why = whyNotFaster(run).value();
    CHECK(spelled(run, why.path) == "0F0@0-2, 0F1@2-9, 1F1@9-11, 1B1@11-15, 0B1@15-19, 0OPT@19-21");
    const IterationTimes times(run, 0);
    CHECK(times.arrival(5) == 8); // 0B0, one unit before the end of 0F1
    CHECK(OwnReplay::create(run, 0)->simulated() == 21);
    WhyChange change;
    change.kind = WhyChange::Kind::Earlier;
    change.op = 5;
    change.other = 2;
    // 0B0 from 8 to 12, 0F1 until 19, and then 1F1, 1B1, 0B1 and 0OPT.
    CHECK(WhyEffects(run, 0).of(change).value().difference == 19 + 2 + 4 + 4 + 2 - 21);
    CHECK(changeText(run, change) == "0B0 before 0F1");
}

TEST_CASE("a backward on the path that waits for a forward is a reason")
{
    const Run run = handMade({.devices = 2, .stages = 2, .microBatches = 2}, {0, 21},
                             {{0, "0F0", 0, 2},
                              {0, "0SEND_F0", 2, 2},
                              {0, "0F1", 2, 12},
                              {0, "0SEND_F1", 12, 12},
                              {0, "0RECV_B0", 8, 8},
                              {0, "0B0", 12, 16},
                              {0, "0RECV_B1", 16, 16},
                              {0, "0B1", 16, 21},
                              {1, "1RECV_F0", 2, 2},
                              {1, "1F0", 2, 4},
                              {1, "1B0", 4, 8},
                              {1, "1SEND_B0", 8, 8},
                              {1, "1RECV_F1", 12, 12},
                              {1, "1F1", 12, 13},
                              {1, "1B1", 13, 16},
                              {1, "1SEND_B1", 16, 16}});
    const Why why = whyNotFaster(run).value();
    const WhyReason* order = find(why, WhyReason::Kind::Order);
    REQUIRE(order);
    CHECK(order->time == 4); // from 8 to 12
    CHECK(plainText(reasonSentence(run, why, *order), 1000)
          == "0B0 waits for 0F1 on device 0: 0.004 units");
}

TEST_CASE("time between the arrival of the input and the start of the op is a wait")
{
    const Run run = connected(handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 20},
                                       {{0, "0F0", 0, 2},
                                        {0, "0SEND_F0", 3, 4},
                                        {0, "0RECV_B0", 13, 14},
                                        {0, "0B0", 16, 20},
                                        {1, "1RECV_F0", 3, 4},
                                        {1, "1F0", 7, 9},
                                        {1, "1B0", 9, 13},
                                        {1, "1SEND_B0", 13, 14}}));
    const Why why = whyNotFaster(run).value();
    CHECK(spelled(run, why.path)
          == "0F0@0-2, wait for 1RECV_F0@2-3, 1RECV_F0@3-4, wait for 1F0@4-7, 1F0@7-9, 1B0@9-13, "
             "0RECV_B0@13-14, wait for 0B0@14-16, 0B0@16-20");
    CHECK(why.shares.waits == 6);
    CHECK(why.shares.messages == 2);
    CHECK(why.shares.total() == 20);
    const WhyReason* waits = find(why, WhyReason::Kind::Waits);
    REQUIRE(waits);
    CHECK(WhyEffects(run, 0).of(*waits->change).value().difference == -6);
    CHECK(WhyEffects(run, 0).accuracy().value() == 1.0);
}

TEST_CASE("of every scheme the parts of the path meet and add up to the iteration")
{
    for (const Scheme& scheme : schemes()) {
        CAPTURE(scheme.name);
        ScheduleRequest request;
        request.scheme = scheme.name;
        request.devices = 4;
        request.microBatches = 8;
        const auto schedule = buildSchedule(request);
        if (!schedule || scheme.asynchronous)
            continue;
        const Run run = simulated(request, uneven(), 2);
        for (const int iteration : {0, 1}) {
            const Why why = whyNotFaster(run, iteration).value();
            std::int64_t at = why.path.window.begin;
            for (const PathPart& part : why.path.parts) {
                CHECK(part.window.begin == at);
                at = part.window.end;
            }
            CHECK(at == why.path.window.end);
            CHECK(why.shares.total() == why.iteration());
            CHECK_FALSE(why.path.fault);
            REQUIRE(why.breakdown);
            CHECK(why.breakdown->work == why.bound.work);
            CHECK(total(*why.breakdown) == why.iteration());
            CHECK(why.bound.time <= why.iteration());
            CHECK(why.bound.time > 0);
            CHECK(why.reasons.size() <= Why::kMostReasons);
            CHECK(std::ranges::is_sorted(why.reasons, {},
                                         [](const WhyReason& r) { return r.window.begin; }));
            const OwnReplay replay = OwnReplay::create(run, iteration).value();
            CHECK(replay.simulated() == replay.recorded());
            CHECK(replay.with([](OwnReplay::Programs&) {}).value() == replay.simulated());
        }
    }
}

TEST_CASE("the faster schemes are all that are predicted to be, the fastest first")
{
    const Run run = simulated("gpipe", 4, 8);
    const auto faster = fasterSchemes(run).value();
    REQUIRE_FALSE(faster.empty());
    CHECK(std::ranges::is_sorted(faster, {}, &FasterScheme::iteration));
    CHECK(faster.back().difference < 0);
    const Run predicted = predictedRun(run, faster.front().scheme).value();
    CHECK(units(run, faster.front().iteration)
          == units(predicted, predicted.timeline.iterations.front().window.duration()));
    const Run best = simulated(faster.front().scheme, 4, 8);
    CHECK(static_cast<double>(faster.front().iteration) / static_cast<double>(run.info.ticksPerUnit)
          == Approx(units(best, best.timeline.iterations.front().window.duration())).margin(0.1));
    for (const Scheme& scheme : schemes()) {
        CAPTURE(scheme.name);
        ScheduleRequest request;
        request.scheme = scheme.name;
        if (scheme.asynchronous || !buildSchedule(request))
            continue;
        const Run other = simulated(request);
        CHECK(units(run, faster.front().iteration)
              <= units(other, other.timeline.iterations.front().window.duration()) + 0.1);
    }
    CHECK(fasterSchemes(simulated("1f1b", 1, 2))->empty());
    const std::atomic<bool> isCancelled = true;
    const engine::CancelScope scope(&isCancelled);
    CHECK_THROWS_AS(fasterSchemes(run), engine::Cancelled);
}

// ZB-V was recommended to a run whose devices cannot hold it.
TEST_CASE("a faster scheme that does not fit in the memory is not the first that fits")
{
    const Run run = readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value();
    const auto faster = fasterSchemes(run).value();
    const FasterScheme* fastest = firstThatFits(faster, {});
    REQUIRE(fastest == &faster.front());
    REQUIRE(fastest->bytes.value() > 0);
    CHECK(*fastest->peakBytes == *fastest->bytes + *metrics(run)->peakBytes());
    CHECK_FALSE(fastest->fits({*fastest->peakBytes - 1, 0}));
    CHECK(fastest->fits({*fastest->peakBytes, 0}));
    const FasterScheme* next = firstThatFits(faster, {*metrics(run)->peakBytes(), 0});
    CHECK((next == nullptr || (next->scheme != fastest->scheme && next->bytes.value() <= 0)));
}

// A limit that could not be compared with a need was taken to be kept.
TEST_CASE("nothing fits whose memory is unknown, and no scheme has more stages than layers")
{
    Run run = simulated("1f1b", 4, 8);
    const auto unknown = fasterSchemes(run).value();
    CHECK(firstThatFits(unknown, {}) != nullptr);
    CHECK(firstThatFits(unknown, {1 << 30, 0}) == nullptr);

    run = readRun(tests::sourcePath("sample_runs/1f1b-d4-n8.sqlite")).value();
    run.info.experiment = "[schedule]\ndevices = 4\n[run]\n[model]\nlayers = 4\n";
    WhyChange chunks;
    chunks.kind = WhyChange::Kind::Chunks;
    chunks.chunks = 2;
    CHECK(WhyEffects(run, whyNotFaster(run)->path.iteration).of(chunks).error().message
          == "the model has 4 layers, fewer than the 8 stages; use fewer devices or chunks");
    const auto faster = fasterSchemes(run).value();
    for (const FasterScheme& scheme : faster)
        CHECK(predictedRun(run, scheme.scheme)->schedule.shape.stages <= 4);
}

TEST_CASE("a slow stage with more layers than others names them")
{
    Run run = simulated("1f1b", 4, 8);
    run.info.experiment = "[schedule]\ndevices = 4\n[run]\n[model]\nlayers = 5\n";
    WhyReason slow;
    slow.kind = WhyReason::Kind::SlowStage;
    const auto text = [&](StageId stage) {
        const OpIndex index(run.schedule);
        for (slow.op = 0; opAt(run.schedule, index, slow.op).stage != stage; ++slow.op)
            ;
        return plainText(reasonSentence(run, Why(), slow), run.info.ticksPerUnit);
    };
    CHECK(text(StageId{3}).find("of stage 3 (2 of 5 layers, one more than other stages) is")
          != std::string::npos);
    CHECK(text(StageId{0}).find("layers") == std::string::npos);
}

TEST_CASE("an op that starts before its input has arrived ends the path")
{
    const Run run = handMade({.devices = 2, .stages = 2, .microBatches = 1}, {0, 16000},
                             {{0, "0F0", 0, 2000},
                              {0, "0SEND_F0", 2000, 3000},
                              {0, "0RECV_B0", 11000, 12000},
                              {0, "0B0", 12000, 16000},
                              {1, "1RECV_F0", 5500, 6000},
                              {1, "1F0", 5000, 7000},
                              {1, "1B0", 7000, 11000},
                              {1, "1SEND_B0", 11000, 12000}});
    const Why why = whyNotFaster(run).value();
    REQUIRE(why.path.fault);
    CHECK_FALSE(why.breakdown);
    CHECK(whyNoBreakdown(run, why) == "the clocks of the devices disagree");
    CHECK(spelled(run, why.path)
          == "1F0@5000-7000, 1B0@7000-11000, 0RECV_B0@11000-12000, "
             "0B0@12000-16000");
    CHECK(faultText(run, why.path).starts_with("1F0 starts before its input has arrived"));
}

TEST_CASE("a run without stages, iteration or path is refused with the reason")
{
    Run run = simulated("1f1b", 2, 2);
    CHECK(whyNotFaster(run, 5).error().code == Error::Code::NotFound);
    run.info.import.emplace().stagesKnown = false;
    CHECK(whyNotFaster(run).error().message.find("stages of this run are unknown")
          != std::string::npos);
    const Run one
        = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 2}, {{0, "0F0", 0, 2}});
    CHECK(whyNotFaster(one).error().message.find("fewer than two ops") != std::string::npos);
}

TEST_CASE("a run on one device is as fast as its work, without reasons")
{
    const Run run = simulated("gpipe", 1, 4);
    const Why why = whyNotFaster(run).value();
    CHECK(why.bound.time == why.iteration());
    CHECK(why.reasons.empty());
}

TEST_CASE("reasons of an iteration of a stream have no what-if")
{
    ScheduleRequest request;
    request.scheme = "pipedream";
    request.devices = 4;
    request.microBatches = 8;
    const Run run = simulated(asStream(request, {.warmup = 1, .measured = 2}), uneven(), 2);
    const Why why = whyNotFaster(run).value();
    CHECK(why.shares.total() == why.iteration());
    CHECK_FALSE(why.breakdown);
    CHECK(
        std::ranges::none_of(why.reasons, [](const WhyReason& r) { return r.change.has_value(); }));
    CHECK(WhyEffects(run, why.path.iteration)
              .accuracy()
              .error()
              .message.find("one window of an asynchronous run")
          != std::string::npos);
}
