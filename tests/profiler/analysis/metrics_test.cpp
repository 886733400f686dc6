#include "profiler/analysis/compare.h"
#include "profiler/analysis/run_measures.h"
#include "tests/profiler/analysis/hand_made.h"
#include "tests/support/text_schedule.h"

using namespace analysis_test;
using namespace engine;
using namespace profiler;

namespace {

RunMetrics numbers(const Run& run)
{
    return metrics(run).value();
}

RangeMetrics in(const Run& run, Window range)
{
    return rangeMetrics(run, range).value();
}

std::int64_t sumOf(const RangeDevice& device)
{
    const DeviceMetrics& times = device.times;
    return times.compute + times.exposedCommunication + times.fill + times.wait + times.drain
        + device.between;
}

} // namespace

TEST_CASE("1F1B and GPipe have a bubble ratio of (D-1)/(N+D-1)")
{
    for (const std::string scheme : {"1f1b", "gpipe"})
        for (const int d : {1, 2, 4, 7})
            for (const int n : {1, 4, 8, 13}) {
                CAPTURE(scheme, d, n);
                const Run run = simulated(scheme, d, n);
                const RunMetrics m = numbers(run);
                CHECK(m.bubbleRatio == Approx((d - 1.0) / (n + d - 1.0)).margin(1e-12));
                CHECK(units(run, m.duration) == 3.0 * (n + d - 1));
                CHECK(m.span == m.duration);
            }
}

TEST_CASE("1F1B keeps min(D - d, N) activations on device d, GPipe N")
{
    for (const int n : {2, 4, 8}) {
        const auto oneF = numbers(simulated("1f1b", 4, n)),
                   gpipe = numbers(simulated("gpipe", 4, n));
        for (int d = 0; d < 4; ++d) {
            CAPTURE(n, d);
            CHECK(oneF.devices[{d}].peakStash == std::min(4 - d, n));
            CHECK(gpipe.devices[{d}].peakStash == n);
        }
    }
}

TEST_CASE("BitPipe with D = N = 4 has the numbers of the command line's contract")
{
    const Run run = simulated("bitpipe", 4, 4);
    const RunMetrics m = numbers(run);
    CHECK(units(run, m.duration) == 14.0);
    CHECK(units(run, m.span) == 14.0);
    CHECK(m.bubbleRatio == Approx(1.0 / 7).epsilon(1e-12));
    CHECK(m.messages == 48);
    CHECK(m.localCopies == 8);
    const std::vector<double> peaks{3.5, 4, 4, 3.5}, spans{14, 12.5, 12.5, 14};
    for (int d = 0; d < 4; ++d) {
        CAPTURE(d);
        CHECK(m.devices[{d}].peakStash == peaks[d]);
        CHECK(units(run, m.devices[{d}].span) == spans[d]);
        CHECK(units(run, m.devices[{d}].compute) == 12.0);
        CHECK(units(run, m.devices[{d}].bubble) == 2.0);
        CHECK(m.devices[{d}].exposedCommunication == 0);
        CHECK(m.devices[{d}].weights == 2.0);
        CHECK_FALSE(m.devices[{d}].peakBytes.has_value());
    }
    CHECK_FALSE(m.tokensPerSecond.has_value());
    CHECK_FALSE(m.mfu.has_value());
}

TEST_CASE("BitPipe at N = D has a bubble ratio of (D-2)/(3N+D-2)")
{
    for (const int d : {2, 4, 6, 8, 16}) {
        CAPTURE(d);
        CHECK(numbers(simulated("bitpipe", d, d)).bubbleRatio
              == Approx((d - 2.0) / (3.0 * d + d - 2)).margin(1e-12));
    }
}

TEST_CASE("communication is exposed while a transfer is under way and nothing computes")
{
    const RunMetrics m = numbers(pingPong());
    CHECK(m.devices[{0}].compute == 6);
    CHECK(m.devices[{0}].exposedCommunication == 2);
    CHECK(m.devices[{0}].wait == 8);
    CHECK(m.devices[{0}].fill + m.devices[{0}].drain == 0);
    CHECK(m.devices[{0}].span == 16);
    CHECK(m.devices[{1}].compute == 6);
    CHECK(m.devices[{1}].exposedCommunication == 2);
    CHECK(m.devices[{1}].fill == 4);
    CHECK(m.devices[{1}].wait == 0);
    CHECK(m.devices[{1}].drain == 4);
    CHECK(m.devices[{1}].span == 6);
    CHECK(m.bubbleRatio == 0.5);
}

TEST_CASE("a transfer behind a computation is not exposed")
{
    const RunMetrics m
        = numbers(handMade({.devices = 1, .stages = 1, .microBatches = 2}, {0, 10},
                           {{0, "0F0", 0, 4}, {0, "0SEND_F0", 3, 6}, {0, "0F1", 5, 10}}));
    CHECK(m.devices[{0}].exposedCommunication == 1);
    CHECK(m.devices[{0}].compute == 9);
    CHECK(m.devices[{0}].bubble == 0);
}

TEST_CASE("compute, exposed communication and bubble add up to the iteration, for any costs")
{
    UnitCosts costs;
    costs.p2p = {1, 4};
    costs.latency = {1, 8};
    costs.allReduce = {1, 2};
    costs.optimizer = {1, 3};
    for (const std::string scheme : {"gpipe", "1f1b", "bitpipe"}) {
        const Run run = simulated(scheme, 4, 8, costs);
        const RunMetrics m = numbers(run);
        for (const DeviceMetrics& d : m.devices) {
            CAPTURE(scheme, d.device.value);
            CHECK(d.compute + d.exposedCommunication + d.bubble == m.duration);
            CHECK(d.fill + d.wait + d.drain == d.bubble);
            CHECK(d.exposedCommunication > 0);
        }
    }
}

TEST_CASE("an activation whose backward is split lives until the end of its W")
{
    const RunMetrics m = numbers(handMade({.devices = 1, .stages = 1, .microBatches = 2}, {0, 6},
                                          {{0, "0F0", 0, 1},
                                           {0, "0I0", 1, 2},
                                           {0, "0F1", 2, 3},
                                           {0, "0W0", 3, 4},
                                           {0, "0I1", 4, 5},
                                           {0, "0W1", 5, 6}}));
    CHECK(m.devices[{0}].peakStash == 2);
}

TEST_CASE("at equal times a free comes before an allocation")
{
    Run run = handMade({.devices = 1, .stages = 1, .microBatches = 2}, {0, 4},
                       {{0, "0F0", 0, 1}, {0, "0B0", 1, 2}, {0, "0F1", 2, 3}, {0, "0B1", 3, 4}});
    CHECK(numbers(run).devices[{0}].peakStash == 1);
    run.timeline.memory = {{0, 100, MemoryEvent::kNoOp, 0, MemoryCategory::Weights},
                           {0, 10, 0, 0, MemoryCategory::Stash},
                           {2, 12, 2, 0, MemoryCategory::Stash},
                           {2, -10, 1, 0, MemoryCategory::Stash},
                           {4, -12, 3, 0, MemoryCategory::Stash}};
    const DeviceMetrics d = numbers(run).devices[{0}];
    CHECK(d.peakBytes == 112);
    CHECK(d.peakStashBytes == 12);
    CHECK(d.timeOfPeak == 2);
    CHECK(d.bytesAtPeak[MemoryCategory::Weights] == 100);
}

// Its peak was 0 bytes if memory of another device was recorded.
TEST_CASE("a device without recorded memory has no peak")
{
    Run run = pingPong();
    run.timeline.memory = {{0, 500, MemoryEvent::kNoOp, 0, MemoryCategory::Weights}};
    CHECK(numbers(run).devices[{0}].peakBytes == 500);
    CHECK_FALSE(numbers(run).devices[{1}].peakBytes);
    CHECK_FALSE(numbers(run).memoryBalance());
    // The largest peak of the other devices was that of the run.
    CHECK_FALSE(numbers(run).peakBytes());
    for (const auto& measure : runMeasures())
        if (measure.key == "peak_bytes")
            CHECK(measure({run, numbers(run)}).note == "the memory of device 1 was not recorded");
    run.timeline.memory.push_back({0, 300, MemoryEvent::kNoOp, 1, MemoryCategory::Weights});
    CHECK(numbers(run).memoryBalance() == 500.0 / 400);
}

TEST_CASE("memory that is alive when an iteration begins counts in its peak")
{
    Run run = handMade({.devices = 1, .stages = 1, .microBatches = 1}, {10, 14},
                       {{0, "0F0", 10, 11}, {0, "0B0", 11, 14}});
    run.timeline.memory = {{0, 500, MemoryEvent::kNoOp, 0, MemoryCategory::Weights},
                           {2, 900, 0, 0, MemoryCategory::Stash},
                           {9, -900, 0, 0, MemoryCategory::Stash}};
    CHECK(numbers(run).devices[{0}].peakBytes == 500);
    CHECK(numbers(run).devices[{0}].timeOfPeak == 10);
}

TEST_CASE("tokens per second and MFU need a clock in nanoseconds and what they count")
{
    Run run = pingPong();
    CHECK_FALSE(numbers(run).tokensPerSecond.has_value());
    run.info.tokensPerIteration = 32;
    run.info.flopsPerIteration = 64;
    run.info.peakFlops = 8e9;
    CHECK(numbers(run).tokensPerSecond == Approx(2e9));
    CHECK(numbers(run).mfu == Approx(0.25));
    CHECK_FALSE(numbers(run).hfu.has_value());
    run.info.executedFlops = 80;
    CHECK(numbers(run).hfu == Approx(0.3125));
    run.schedule.shape.dataParallel = 2; // twice the devices for the same work
    CHECK(numbers(run).tokensPerSecond == Approx(2e9));
    CHECK(numbers(run).mfu == Approx(0.125));
    run.info.ticksPerUnit = 4;
    CHECK_FALSE(numbers(run).tokensPerSecond.has_value());
}

// An edited peak gave an MFU of several hundred percent.
TEST_CASE("MFU is unknown if the ops reach more than the peak, and a comparison has one peak")
{
    Run run = pingPong();
    run.info.ticksPerUnit = 1;
    run.info.flopsPerIteration = 64;
    run.info.peakFlops = 2.5e9; // more than the mean rate, less than that while the devices compute
    CHECK_FALSE(numbers(run).mfu.has_value());
    CHECK(numbers(run).whyNoMfu.find("the peak of 2.5 GFLOP/s is lower than the ")
          != std::string::npos);
    Run other = run;
    other.info.peakFlops = 1e12;
    CHECK(numbers(other).mfu.has_value());
    for (const char* key : {"mfu", "hfu"})
        for (const Measure<ReportedRun>& measure : runMeasures())
            if (measure.key == key)
                CHECK(measure({run, numbers(run)}).note == numbers(run).whyNoMfu);
    const auto compared = compare({&run, &other}).value();
    CHECK_FALSE(compared.runs[1].metrics.mfu.has_value());
}

TEST_CASE("a run without iterations has no metrics and fails with a message")
{
    Run run = pingPong();
    CHECK(metrics(run, 3).error().message == "the run has no iteration 3; it has 0 to 0");
    run.timeline.iterations.clear();
    const auto none = metrics(run);
    REQUIRE_FALSE(none);
    CHECK(none.error().code == Error::Code::NotFound);
}

TEST_CASE("an asynchronous scheme without a flush takes 3N per window, with no bubble, D - d "
          "activations and, at any N, D - d versions of the weights or two")
{
    for (const std::string scheme : {"pipedream", "pipedream-2bw"})
        for (const int d : {1, 2, 4, 8})
            for (const int n : {1, 3, 4, 16}) {
                CAPTURE(scheme, d, n);
                ScheduleRequest request;
                request.scheme = scheme;
                request.devices = d;
                request.microBatches = n;
                const Run run = simulated(asStream(request, {.measured = 2}), {}, 2);
                const RunMetrics m = numbers(run);
                CHECK(run.timeline.iterations[m.iteration].kind == Iteration::Kind::Measured);
                CHECK(units(run, m.duration) == 3.0 * n);
                CHECK(m.bubbleRatio == 0);
                CHECK(m.span == m.duration);
                CHECK(m.messages == 2 * n * (d - 1));
                for (int i = 0; i < d; ++i) {
                    CHECK(m.devices[{i}].peakStash == d - i);
                    CHECK(m.devices[{i}].weights == (scheme == "pipedream" ? d - i : 2));
                }
            }
}

TEST_CASE("a device of PipeDream holds its stage in D - d versions")
{
    const RunMetrics m = numbers(simulated("pipedream", 4, 8));
    for (int d = 0; d < 4; ++d)
        CHECK(m.devices[{d}].weights == 4.0 - d);
}

TEST_CASE("a sharded stage counts as its share, and as a whole while it is gathered")
{
    Schedule schedule = tests::scheduleFrom({"0UNSHARD 0F0 0RESHARD 1UNSHARD 1F0 1B0 1RESHARD "
                                             "0UNSHARD 0B0 0RESHARD"});
    schedule.shape.dataParallel = 4;
    const Run run{
        {}, schedule, engine::simulate(schedule, unitOpCosts(schedule, {}).value()).value()};
    CHECK(numbers(run).devices[{0}].weights == Approx(0.25 + 0.75 / 2)); // one of two stages
}

TEST_CASE("the kinds of compute add up to it, with a recompute and with joint ops")
{
    using enum engine::OpKind;
    const auto sum = [](const DeviceMetrics& device) {
        std::int64_t ticks = 0;
        for (const OpKind kind :
             {Forward, Backward, BackwardInput, BackwardWeight, Recompute, OptimizerStep})
            ticks += device.byKind[kind];
        return ticks;
    };
    const auto recomputed = numbers(handMade(
        {.devices = 1, .stages = 1, .microBatches = 1}, {0, 12},
        {{0, "0F0", 0, 2}, {0, "0RECOMPUTE0", 3, 5}, {0, "0B0", 5, 9}, {0, "0OPT", 9, 10}}));
    CHECK(recomputed.devices[{0}].byKind[Recompute] == 2);
    CHECK(recomputed.devices[{0}].byKind[Forward] == 2);
    CHECK(sum(recomputed.devices[{0}]) == recomputed.devices[{0}].compute);
    // 0F1 and 0B0 run as one, for 5 ticks.
    const auto joint = numbers(
        handMade({.devices = 1, .stages = 1, .microBatches = 2}, {0, 14},
                 {{0, "0F0", 0, 2}, {0, "0F1", 2, 7}, {0, "0B0", 2, 7}, {0, "0B1", 8, 12}}));
    CHECK(joint.devices[{0}].byKind[Forward] + joint.devices[{0}].byKind[Backward] == 11);
    CHECK(joint.devices[{0}].byKind[Backward] == 6);
    CHECK(sum(joint.devices[{0}]) == joint.devices[{0}].compute);
}

TEST_CASE("rounded parts add up to the sum that they are rounded for")
{
    using Parts = std::vector<double>;
    CHECK(rounded({119.4, 68.3, 0.6}, 188, 1) == Parts{119, 68, 1});
    CHECK(rounded({2.5, 2.5}, 5, 1) == Parts{3, 2});
    CHECK(rounded({4.7}, 4, 1) == Parts{4});
    CHECK(rounded({}, 0, 1).empty());
}

TEST_CASE("rounded times by category add up to the rounded iteration and bubble")
{
    using enum TimeCategory;
    TimeByCategory times{};
    times[Forward] = 9.14; // rounded each on its own: 9.1 + 18.7 + 0.3 + 0.8 = 28.9
    times[Backward] = 18.74;
    times[Optimizer] = 0.34;
    times[Exposed] = 0.78;
    times[Fill] = 1.65;
    times[Wait] = 6.75;
    times[Drain] = 3.75;
    times[Bubble] = 12.15;
    const TimeByCategory shown = rounded(times, 0.1);
    const auto tenths = [&](TimeCategory category) { return std::lround(shown[category] * 10); };
    CHECK(tenths(Bubble) == 122); // of 41.2
    CHECK(tenths(Fill) + tenths(Wait) + tenths(Drain) == 122);
    CHECK(tenths(Forward) + tenths(Backward) + tenths(Optimizer) + tenths(Exposed) == 412 - 122);
    CHECK(tenths(Exposed) == 8); // its remainder is the largest
}

TEST_CASE("the time by category of every scheme adds up to its iteration")
{
    for (const char* scheme : {"1f1b", "gpipe", "zb-v", "dualpipe", "bitpipe"}) {
        CAPTURE(scheme);
        const RunMetrics m = numbers(simulated(scheme, 4, 8));
        for (const DeviceMetrics& device : m.devices) {
            const TimeByCategory times = timeByCategory(m, device);
            double sum = -times[TimeCategory::Bubble]; // which is in its causes, too
            for (const double time : times)
                sum += time;
            CHECK(sum == static_cast<double>(m.duration));
            CHECK(times[TimeCategory::Compute] == 0);
        }
        CHECK(timeByCategory(m)[TimeCategory::Bubble]
              == Approx(m.bubbleRatio * static_cast<double>(m.duration)));
    }
    RunMetrics ofKernels = numbers(simulated("1f1b", 2, 2));
    ofKernels.kindsAddUp = false; // the kernels of a device take less time than its ops
    CHECK(timeByCategory(ofKernels, ofKernels.devices[{1}])[TimeCategory::Compute]
          == static_cast<double>(ofKernels.devices[{1}].compute));
}

TEST_CASE("ops at the edges of a range count with their part")
{
    const RangeMetrics range = in(pingPong(), {1, 14});
    const RangeDevice& first = range.devices[{0}];
    CHECK(first.times.byKind[OpKind::Forward] == 1);
    CHECK(first.times.byKind[OpKind::Backward] == 2);
    CHECK(first.times.compute == 3);
    CHECK(first.times.exposedCommunication == 2);
    CHECK(first.times.wait == 8);
    CHECK(first.times.fill + first.times.drain == 0);
    CHECK(first.opsWhole == 0);
    CHECK(first.opsCut == 2);
    const RangeDevice& second = range.devices[{1}];
    CHECK(second.times.fill == 3); // 1 to 2, and 3 to 5
    CHECK(second.times.drain == 2);
    CHECK(second.opsWhole == 2);
    CHECK(second.opsCut == 0);
    CHECK(second.times.messagesSent == 1);
    CHECK(second.times.messagesReceived == 1);
    CHECK(range.bubbleRatio == Approx((8 + 5) / 26.0));
}

TEST_CASE("a gap before the range still belongs to the fill of its iteration")
{
    const RangeMetrics range = in(pingPong(), {3, 5});
    CHECK(range.devices[{1}].times.fill == 2);
    CHECK(range.devices[{0}].times.wait == 2);
    CHECK(range.devices[{0}].opsWhole + range.devices[{0}].opsCut == 0);
}

TEST_CASE("the range of an iteration has the numbers of the iteration, for every scheme")
{
    for (const std::string scheme : {"1f1b", "bitpipe", "zb-v", "dualpipe", "chimera"}) {
        CAPTURE(scheme);
        ScheduleRequest request;
        request.scheme = scheme;
        request.devices = 4;
        request.microBatches = 8;
        UnitCosts costs;
        costs.p2p = {1, 4};
        const Run run = simulated(request, costs, 3);
        const RunMetrics whole = metrics(run, 1).value();
        const RangeMetrics range = in(run, run.timeline.iterations[1].window);
        CHECK(range.bubbleRatio == Approx(whole.bubbleRatio));
        CHECK(range.firstIteration == 1);
        CHECK(range.lastIteration == 1);
        for (const DeviceId d : whole.devices.ids()) {
            const DeviceMetrics &a = whole.devices[d], &b = range.devices[d].times;
            CHECK(a.compute == b.compute);
            CHECK(a.exposedCommunication == b.exposedCommunication);
            CHECK(a.fill == b.fill);
            CHECK(a.wait == b.wait);
            CHECK(a.drain == b.drain);
            CHECK(a.bubble == b.bubble);
            CHECK(a.byKind == b.byKind);
            CHECK(a.peakStash == b.peakStash);
            CHECK(a.messagesSent == b.messagesSent);
            CHECK(a.messagesReceived == b.messagesReceived);
            CHECK(range.devices[d].opsCut == 0);
        }
    }
}

TEST_CASE("the times of a range over several iterations add up to its length on every device")
{
    ScheduleRequest request;
    request.scheme = "1f1b";
    request.devices = 4;
    request.microBatches = 8;
    UnitCosts costs;
    costs.p2p = {1, 4};
    Run run = simulated(request, costs, 4);
    // A gap between iterations 1 and 2.
    const std::int64_t gap = 7;
    for (Track& track : run.timeline.tracks)
        for (Span& span : track.spans)
            if (span.iteration >= 2)
                span = {span.begin + gap, span.end + gap, span.op, span.iteration};
    for (std::size_t k : {2U, 3U})
        run.timeline.iterations[k].window = {run.timeline.iterations[k].window.begin + gap,
                                             run.timeline.iterations[k].window.end + gap};
    const Window first = run.timeline.iterations[0].window,
                 last = run.timeline.iterations[3].window;
    for (const Window range :
         {Window{first.begin + 3, last.end - 5}, Window{first.end - 1, first.end + 1},
          Window{first.begin, last.end}}) {
        const RangeMetrics metrics = in(run, range);
        for (const RangeDevice& device : metrics.devices) {
            CHECK(sumOf(device) == range.duration());
            CHECK(device.times.compute
                  == device.times.byKind[OpKind::Forward] + device.times.byKind[OpKind::Backward]
                      + device.times.byKind[OpKind::OptimizerStep]);
        }
    }
    const RangeMetrics all = in(run, {first.begin, last.end});
    CHECK(all.devices[{2}].between == gap);
    CHECK(all.lastIteration == 3);
}

TEST_CASE("the parts of a range have the sums of the whole range")
{
    ScheduleRequest request;
    request.scheme = "bitpipe";
    request.devices = 4;
    request.microBatches = 4;
    const Run run = simulated(request, {}, 2);
    const Window all{run.timeline.iterations[0].window.begin,
                     run.timeline.iterations[1].window.end};
    const std::int64_t cut = all.begin + all.duration() / 3;
    const RangeMetrics whole = in(run, all), left = in(run, {all.begin, cut}),
                       right = in(run, {cut, all.end});
    for (const DeviceId d : whole.devices.ids()) {
        CHECK(left.devices[d].times.compute + right.devices[d].times.compute
              == whole.devices[d].times.compute);
        CHECK(left.devices[d].times.bubble + right.devices[d].times.bubble
              == whole.devices[d].times.bubble);
        CHECK(std::max(left.devices[d].times.peakStash, right.devices[d].times.peakStash)
              == whole.devices[d].times.peakStash);
    }
}

TEST_CASE("an op of a stream that began in the window before counts with its part in a range")
{
    ScheduleRequest request;
    request.scheme = "pipedream";
    request.devices = 4;
    request.microBatches = 8;
    const Run run = simulated(asStream(request, {.measured = 2}), {}, 2);
    REQUIRE(run.schedule.shape.windows > 1);
    const int index = static_cast<int>(run.timeline.iterations.size()) / 2;
    const Window window = run.timeline.iterations[static_cast<std::size_t>(index)].window;
    const RangeMetrics range = in(run, window);
    const RunMetrics whole = metrics(run, index).value();
    CHECK(range.firstIteration == index);
    for (const RangeDevice& device : range.devices) {
        const auto& byKind = device.times.byKind;
        CHECK(device.times.compute
              == byKind[OpKind::Forward] + byKind[OpKind::Backward]
                  + byKind[OpKind::OptimizerStep]);
        CHECK(device.times.compute == whole.devices[device.times.device].compute);
        CHECK(sumOf(device) == window.duration());
    }
}

TEST_CASE("an empty range and a run without iterations are refused")
{
    const Run run = pingPong();
    CHECK(rangeMetrics(run, {4, 4}).error().code == Error::Code::InvalidArgument);
    Run none = run;
    none.timeline.iterations.clear();
    CHECK(rangeMetrics(none, {0, 4}).error().code == Error::Code::NotFound);
    CHECK(in(run, {20, 30}).devices[{0}].between == 10); // after the run
}
