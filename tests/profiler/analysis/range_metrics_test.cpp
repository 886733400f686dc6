#include "profiler/analysis/metrics.h"
#include "tests/profiler/analysis/hand_made.h"

using namespace analysis_test;
using namespace engine;
using namespace profiler;

namespace {

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
