#include "profiler/analysis/explain.h"
#include "profiler/analysis/metrics.h"
#include "tests/profiler/analysis/hand_made.h"

using namespace analysis_test;
using namespace engine;
using namespace profiler;

namespace {
std::string spelled(const Run& run, const std::vector<CauseLink>& links)
{
    const OpIndex index(run.schedule);
    std::string text;
    for (const CauseLink& link : links)
        text += (text.empty() ? "" : " ") + toString(opAt(run.schedule, index, link.op)) + "@"
            + std::to_string(link.window.begin) + "-" + std::to_string(link.window.end);
    return text;
}

std::uint32_t find(const Run& run, const std::string& op)
{
    std::uint32_t number = 0;
    for (const auto& program : run.schedule.program)
        for (const Op& one : program) {
            if (toString(one) == op)
                return number;
            ++number;
        }
    FAIL("no op " << op);
    return number;
}
} // namespace

TEST_CASE("a backward blames the load it waited for, and that its evict")
{
    const Run run = handMade(
        {.devices = 2, .stages = 1, .microBatches = 1}, {0, 16},
        {{0, "0F0", 0, 2}, {0, "0EVICT0", 2, 6}, {0, "0LOAD0", 6, 10}, {0, "0B0", 10, 16}});
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0B0"))->needs) == "0LOAD0@6-10");
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0LOAD0"))->needs) == "0EVICT0@2-6");
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0EVICT0"))->needs) == "0F0@0-2");
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0EVICT0"))->neededBy) == "0LOAD0@6-10");
    CHECK(spelled(run, Explainer(run, 0).criticalPath())
          == "0F0@0-2 0EVICT0@2-6 0LOAD0@6-10 0B0@10-16");
}

TEST_CASE("an op blames the last all-gather of its stage before it")
{
    const Run run = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 9},
                             {{0, "0UNSHARD", 0, 2},
                              {0, "0F0", 2, 3},
                              {0, "0RESHARD", 3, 3},
                              {0, "0UNSHARD", 3, 7},
                              {0, "0B0", 7, 9}});
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0F0"))->needs) == "0UNSHARD@0-2");
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0B0"))->needs)
          == "0UNSHARD@3-7 0F0@2-3");
}

// The path went through 0F1, and had 40 ns of waits.
TEST_CASE("a message of a trace that its receiver posted late is caused by the receiver's op")
{
    Run run = handMade({.devices = 2, .stages = 2, .microBatches = 2}, {0, 110},
                       {{0, "0F0", 0, 10},
                        {0, "0SEND_F0", 10, 12},
                        {0, "0F1", 10, 20},
                        {0, "0SEND_F1", 60, 62},
                        {1, "1RECV_F0", 10, 12},
                        {1, "1F0", 12, 30},
                        {1, "1B0", 30, 60},
                        {1, "1RECV_F1", 60, 62},
                        {1, "1F1", 62, 80},
                        {1, "1B1", 80, 110}});
    run.info.import.emplace().stagesKnown = true;
    CHECK(spelled(run, Explainer(run, 0).criticalPath())
          == "0F0@0-10 1RECV_F0@10-12 1F0@12-30 1B0@30-60 1RECV_F1@60-62 1F1@62-80 1B1@80-110");
}

TEST_CASE("a bubble names the producer, the transfer and the op it waited for")
{
    const Run run = pingPong();
    const auto all = Explainer(run, 0).bubbles();
    REQUIRE(all.size() == 4);
    CHECK(all[0].kind == Bubble::Kind::Wait);
    CHECK(all[0].window == Window{3, 11});
    CHECK(spelled(run, all[0].chain) == "1B0@7-11 0RECV_B0@11-12 0B0@12-16");
    CHECK(all[1].kind == Bubble::Kind::Fill);
    CHECK(all[1].window == Window{0, 2});
    CHECK(all[2].window == Window{3, 5});
    CHECK(spelled(run, all[2].chain) == "0F0@0-2 1RECV_F0@2-3 1F0@5-7");
    CHECK(all[3].kind == Bubble::Kind::Drain);
    CHECK(all[3].window == Window{12, 16});
    CHECK_FALSE(all[3].next.has_value());
    CHECK(spelled(run, all[3].chain) == "0B0@12-16"); // the last op of the iteration
}

TEST_CASE("an explanation has the inputs, the consumers and the waiting time of an op")
{
    const Run run = pingPong();
    const auto b = Explainer(run, 0).explain(find(run, "0B0")).value();
    CHECK(b.device == DeviceId{0});
    CHECK(b.waited == 10);
    CHECK(spelled(run, b.needs) == "0RECV_B0@11-12 1B0@7-11 0F0@0-2");
    CHECK(b.neededBy.empty());
    const auto f = Explainer(run, 0).explain(find(run, "0F0")).value();
    CHECK(f.waited == 0);
    CHECK(f.needs.empty());
    CHECK(spelled(run, f.neededBy) == "1RECV_F0@2-3 1F0@5-7 0B0@12-16");
    const auto send = Explainer(run, 0).explain(find(run, "0SEND_F0")).value();
    CHECK(spelled(run, send.needs) == "0F0@0-2");
    CHECK_FALSE(Explainer(run, 0).explain(999).has_value());
}

TEST_CASE("the flow of a micro-batch passes its stages forward and backward")
{
    const Run run = pingPong();
    CHECK(spelled(run, Explainer(run, 0).flow(MicroBatchId{0}))
          == "0F0@0-2 1F0@5-7 1B0@7-11 0B0@12-16");
    CHECK(Explainer(run, 0).flow(MicroBatchId{7}).empty());
    const Run bitpipe = simulated("bitpipe", 4, 8);
    for (int m = 0; m < 8; ++m) {
        const auto path = Explainer(bitpipe, 0).flow(MicroBatchId{m});
        CHECK(path.size() == 16); // F and B of 8 stages
        CHECK(std::ranges::is_sorted(path, {}, [](const CauseLink& l) { return l.window.begin; }));
    }
}

TEST_CASE("the bubbles of an iteration are the bubble of its metrics, cut by cause")
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    costs.allReduce = {1, 1};
    costs.optimizer = {1, 2};
    // In a stream, the time after an op of the window before was a fill, although it is a wait.
    const auto check = [](const Run& run, int iteration) {
        const RunMetrics m = metrics(run, iteration).value();
        const bool isLast = iteration + 1 == std::ssize(run.timeline.iterations);
        std::vector<std::int64_t> fill(4), wait(4), drain(4);
        for (const Bubble& bubble : Explainer(run, m.iteration).bubbles()) {
            const auto d = static_cast<std::size_t>(bubble.device.value);
            (bubble.kind == Bubble::Kind::Fill       ? fill
                 : bubble.kind == Bubble::Kind::Wait ? wait
                                                     : drain)[d]
                += bubble.window.duration();
            CHECK(bubble.next.has_value() == (bubble.kind != Bubble::Kind::Drain));
            if (bubble.next)
                CHECK(bubble.chain.back().op == *bubble.next);
            CHECK(bubble.untilNextWindow
                  == (run.schedule.shape.windows > 1 && !isLast && !bubble.next));
        }
        for (int d = 0; d < 4; ++d) {
            CHECK(fill[d] == m.devices[{d}].fill);
            CHECK(wait[d] == m.devices[{d}].wait);
            CHECK(drain[d] == m.devices[{d}].drain);
        }
    };
    for (const std::string scheme : {"gpipe", "1f1b", "bitpipe", "pipedream"}) {
        ScheduleRequest request;
        request.scheme = scheme;
        const Run run = simulated(asStream(request, {.measured = 1}), costs);
        for (int i = 0; i < std::ssize(run.timeline.iterations); ++i) {
            CAPTURE(scheme, i);
            check(run, i);
        }
    }
}

TEST_CASE("in a simulated run the cause of a bubble arrives exactly when the bubble ends")
{
    const Run run = simulated("bitpipe", 8, 16);
    for (const Bubble& bubble : Explainer(run, 0).bubbles())
        if (bubble.next) {
            REQUIRE(bubble.chain.size() >= 2);
            CHECK(bubble.chain[bubble.chain.size() - 2].window.end == bubble.window.end);
        }
}

TEST_CASE("an optimizer step that waits for an all-reduce blames the last gradient")
{
    const Run run
        = handMade({.devices = 1, .stages = 1, .microBatches = 2, .dataParallel = 2}, {0, 11},
                   {{0, "0F0", 0, 1},
                    {0, "0B0", 1, 3},
                    {0, "0F1", 3, 4},
                    {0, "0B1", 4, 6},
                    {0, "0ALLREDUCE", 8, 10},
                    {0, "0OPT", 10, 11}});
    const auto all = Explainer(run, 0).bubbles();
    REQUIRE(all.size() == 1);
    CHECK(all[0].kind == Bubble::Kind::Wait);
    CHECK(all[0].window == Window{6, 8});
    CHECK(spelled(run, all[0].chain) == "0B1@4-6 0ALLREDUCE@8-10 0OPT@10-11");
    const auto reduce = Explainer(run, 0).explain(find(run, "0ALLREDUCE")).value();
    CHECK(spelled(run, reduce.needs) == "0B1@4-6");
    CHECK(reduce.waited == 2);
    CHECK(spelled(run, reduce.neededBy) == "0OPT@10-11");
}

TEST_CASE("a transfer lasts from its SEND's start to its RECV's end")
{
    const Run run = handMade(
        {.devices = 2, .stages = 2, .microBatches = 1}, {0, 9},
        {{0, "0F0", 0, 2}, {0, "0SEND_F0", 2, 3}, {1, "1RECV_F0", 5, 6}, {1, "1F0", 6, 9}});
    const auto f = Explainer(run, 0).explain(find(run, "1F0")).value();
    CHECK(spelled(run, f.needs) == "1RECV_F0@2-6 0F0@0-2");
}

TEST_CASE("the critical path of a 1F1B iteration is its whole length")
{
    for (const std::string scheme : {"gpipe", "1f1b", "bitpipe"}) {
        CAPTURE(scheme);
        const Run run = simulated(scheme, 4, 8);
        const auto path = Explainer(run, 0).criticalPath();
        REQUIRE_FALSE(path.empty());
        CHECK(path.front().window.begin == run.timeline.iterations[0].window.begin);
        CHECK(path.back().window.end == run.timeline.iterations[0].window.end);
        std::int64_t busy = 0;
        for (const CauseLink& link : path)
            busy += link.window.duration();
        CHECK(busy == run.timeline.iterations[0].window.duration());
    }
}

TEST_CASE("exposed communication is sorted by begin and adds up to the metric")
{
    UnitCosts costs;
    costs.p2p = {1, 2};
    const Run run = simulated("1f1b", 4, 8, costs);
    const RunMetrics m = metrics(run).value();
    for (const DeviceMetrics& d : m.devices) {
        std::int64_t sum = 0;
        const auto windows = Lanes(run, 0).exposed(d.device);
        for (const Window w : windows)
            sum += w.duration();
        CHECK(sum == d.exposedCommunication);
        CHECK(std::ranges::is_sorted(windows, {}, &Window::begin));
    }
}

TEST_CASE("the cause of a late all-reduce is its last gradient, on any device")
{
    Run run = handMade({.devices = 2, .stages = 1, .microBatches = 2}, {0, 13},
                       {{0, "0F0", 0, 2},
                        {0, "0B0", 2, 9},
                        {0, "0ALLREDUCE", 9, 12},
                        {0, "0OPT", 12, 13},
                        {1, "0F1u", 0, 1},
                        {1, "0B1u", 1, 3},
                        {1, "0ALLREDUCEu", 9, 12},
                        {1, "0OPTu", 12, 13}});
    run.schedule.shape.replicas = 2;
    run.schedule.deviceOf = {{DeviceId{0}}, {DeviceId{1}}};
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0OPTu"))->needs)
          == "0ALLREDUCEu@9-12 0B0@2-9");
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0ALLREDUCEu"))->needs) == "0B0@2-9");
}

TEST_CASE(
    "an op waited since the last one before it that had ended, should a file have them overlap")
{
    const Run run = handMade({.devices = 1, .stages = 1, .microBatches = 2}, {0, 12},
                             {{0, "0F0", 0, 2}, {0, "0F1", 2, 9}, {0, "0B0", 4, 12}});
    CHECK(Explainer(run, 0).explain(find(run, "0B0"))->waited == 2);
}

TEST_CASE("where a device was busy until its message came, the critical path stays on the device")
{
    const Run run = handMade({.devices = 2, .stages = 2, .microBatches = 2}, {0, 6},
                             {{0, "0F0", 0, 1},
                              {0, "0SEND_F0", 1, 2},
                              {0, "0F1", 1, 3},
                              {0, "0SEND_F1", 3, 4},
                              {1, "1RECV_F0", 1, 2},
                              {1, "1F0", 2, 4},
                              {1, "1RECV_F1", 3, 4},
                              {1, "1F1", 4, 6}});
    CHECK(spelled(run, Explainer(run, 0).criticalPath()) == "0F0@0-1 1RECV_F0@1-2 1F0@2-4 1F1@4-6");
}

TEST_CASE("an op that takes no time ends no bubble and no critical path")
{
    const Run run = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 12},
                             {{0, "0F0", 0, 2}, {0, "0B0", 2, 6}, {0, "0OPT", 12, 12}});
    const auto all = Explainer(run, 0).bubbles();
    REQUIRE(all.size() == 1);
    CHECK(all[0].kind == Bubble::Kind::Drain);
    CHECK_FALSE(all[0].next);
    CHECK(spelled(run, Explainer(run, 0).criticalPath()) == "0F0@0-2 0B0@2-6");
}

TEST_CASE("after a RECOMPUTE the forward is no longer an input")
{
    const Run run = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {0, 6},
                             {{0, "0F0", 0, 2}, {0, "0RECOMPUTE0", 2, 3}, {0, "0B0", 3, 6}});
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0F0"))->neededBy) == "0RECOMPUTE0@2-3");
    CHECK(spelled(run, Explainer(run, 0).explain(find(run, "0RECOMPUTE0"))->neededBy) == "0B0@3-6");
}

TEST_CASE("the chain of causes of a bubble starts at the op that had no earlier choice")
{
    const Run run = pingPong();
    const Explainer explainer(run, 0);
    const auto all = explainer.bubbles();
    REQUIRE(all.size() == 4);
    CHECK(spelled(run, explainer.causes(all[0]))
          == "0F0@0-2 1RECV_F0@2-3 1F0@5-7 1B0@7-11 0RECV_B0@11-12 0B0@12-16");
    const auto steps = causeSteps(run, explainer.causes(all[0]));
    REQUIRE(steps.size() == 5);
    CHECK(steps[2].ops == 2); // 1F0 and 1B0
    CHECK(steps[2].busy == 6);
    CHECK(steps[2].idle == 2); // 1F0 starts two after its message
    std::int64_t sum = 0;
    for (const CauseStep& step : steps)
        sum += step.busy + step.idle;
    CHECK(sum == 16);
    // Device 1 drains from 11 on: what ran later is its cause.
    CHECK(spelled(run, explainer.causes(all[3])) == "0B0@12-16");
}
