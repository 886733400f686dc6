#include "engine/schedule/passes/passes.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/capture/link.h"
#include "tests/catch.h"
#include "tests/support/text_schedule.h"

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

// Two devices; SEND_F of micro-batch 0 is op 1, its RECV_F op 5; two replicas sum stage 0 as well.
const Schedule& schedule()
{
    static const Schedule kSchedule
        = scheduleFrom({"0F0 0SEND_F0 0B0 0ALLREDUCE 0OPT", "1RECV_F0 1F0 0F1u 0ALLREDUCEu"});
    return kSchedule;
}

constexpr std::uint32_t kForward = 0, kSend = 1, kReceive = 5;

// As it is recorded: NCCL's threads launch, of which nobody knows the op.
struct Recording
{
    Recording() { trace.strings = {"ncclDevKernel_SendRecv(Args)", "layerNorm", "launch"}; }

    void launch(std::uint32_t op, Window host)
    {
        trace.launches.push_back({host, {op, 0}, op < kReceive ? 7U : 8U});
    }
    void kernel(std::uint32_t device, Window window, std::int64_t called, std::uint32_t name = 0)
    {
        GpuKernel made;
        made.window = window;
        made.place.device = device;
        made.place.correlation = ++correlation;
        made.name = name;
        trace.kernels.push_back(made);
        GpuCall call;
        call.window = {called, called + 3};
        call.correlation = correlation;
        call.name = 2;
        call.thread = 99;
        trace.calls.push_back(call);
        ++trace.health.withoutOp;
    }

    GpuTrace trace;
    std::uint32_t correlation = 0;
};

// A message of which the receiver came first, and a forward.
Recording message()
{
    Recording made;
    made.launch(kForward, {100, 130});
    made.launch(kSend, {140, 170});
    made.launch(kReceive, {120, 160});
    made.kernel(0, {1000, 1290}, 150);
    made.kernel(1, {200, 1300}, 145); // both threads are within a launch then
    return made;
}

} // namespace

TEST_CASE("a kernel that NCCL's thread launched belongs to the op for which its GPU's thread waits")
{
    Recording made = message();
    made.kernel(0, {180, 190}, 110, 1); // not NCCL's
    made.kernel(0, {300, 310}, 200);    // within no launch
    NcclLinker(schedule()).link(made.trace);
    CHECK(made.trace.kernels[0].of == OpOfIteration{kSend, 0});
    CHECK(made.trace.kernels[1].of == OpOfIteration{kReceive, 0});
    CHECK_FALSE(made.trace.kernels[2].of.isKnown());
    CHECK_FALSE(made.trace.kernels[3].of.isKnown());
    CHECK(made.trace.health.withoutOp == 2);
}

TEST_CASE("the wait of a recorded NCCL message is separated from its transfer")
{
    Recording made = message();
    CHECK(splitNccl(made.trace, schedule()).empty()); // nobody knows whose kernels these are
    NcclLinker(schedule()).link(made.trace);
    const auto splits = splitNccl(made.trace, schedule());
    REQUIRE(splits.size() == 2);
    CHECK(splits[0] == NcclSplit{0, {1000, 1000}, {1000, 1290}, NcclSplit::By::Ranks});
    CHECK(splits[1] == NcclSplit{1, {200, 1000}, {1000, 1300}, NcclSplit::By::Ranks});
}

TEST_CASE("a kernel that is recorded later than its launch is linked all the same")
{
    Recording made = message();
    GpuTrace later;
    later.strings = made.trace.strings;
    later.kernels = std::exchange(made.trace.kernels, {});
    later.health.withoutOp = std::exchange(made.trace.health.withoutOp, 0);
    NcclLinker linker(schedule());
    linker.link(made.trace);
    linker.link(later);
    CHECK(later.kernels[0].of.op == kSend);
    CHECK(later.kernels[1].of.op == kReceive);
    CHECK(later.health.withoutOp == 0);
}

TEST_CASE("the kernels that connect ranks before a run belong to nothing, and go")
{
    Recording made = message();
    made.kernel(0, {10, 60}, 5);
    NcclLinker(schedule()).link(made.trace);
    CHECK(made.trace.kernels.size() == 2);
    CHECK(made.trace.health.withoutOp == 0);
}

// The launches of the other copies are not logged, so their kernels stayed without an op.
TEST_CASE("the NCCL kernels of other data-parallel copies belong to nothing, and go")
{
    Recording made = message();
    made.kernel(2, {1000, 1290}, 150); // device 0 of the second copy
    made.kernel(3, {200, 1300}, 145);
    made.kernel(3, {1310, 1320}, 150, 1); // not NCCL's
    NcclLinker(schedule()).link(made.trace);
    REQUIRE(made.trace.kernels.size() == 3);
    CHECK(made.trace.kernels[0].of.op == kSend);
    CHECK(made.trace.kernels[1].of.op == kReceive);
    CHECK(made.trace.kernels[2].name == 1);
    CHECK(made.trace.health.withoutOp == 1);
}

TEST_CASE("an all-reduce's kernel is linked, and one within a launch of another device is not")
{
    Recording made;
    made.launch(3, {100, 130}); // 0ALLREDUCE
    made.launch(kReceive, {300, 360});
    made.kernel(0, {1000, 1100}, 110);
    made.kernel(1, {1200, 1300}, 110); // then device 0 is within its sum, device 1 in nothing
    NcclLinker(schedule()).link(made.trace);
    CHECK(made.trace.kernels[0].of == OpOfIteration{3, 0});
    CHECK_FALSE(made.trace.kernels[1].of.isKnown());
    CHECK(made.trace.health.withoutOp == 1);
}

TEST_CASE("within an NCCL launch another library's kernel and a call of an op stay as they are")
{
    Recording made = message();
    made.kernel(0, {180, 190}, 150, 1); // not NCCL's, while its thread sends
    made.kernel(0, {400, 410}, 160);    // NCCL's, but its call belongs to an op already
    made.trace.calls.back().of = {kForward, 0};
    NcclLinker(schedule()).link(made.trace);
    CHECK_FALSE(made.trace.kernels[2].of.isKnown());
    CHECK_FALSE(made.trace.kernels[3].of.isKnown());
    CHECK(made.trace.health.withoutOp == 2);
}

TEST_CASE("a run begins with the earliest launch, in whatever order launches were recorded")
{
    Recording made;
    made.launch(kSend, {140, 170});
    made.launch(kForward, {100, 130});
    made.launch(kReceive, {500, 560}); // recorded last, begins last
    made.kernel(0, {150, 190}, 145);
    NcclLinker(schedule()).link(made.trace);
    REQUIRE(made.trace.kernels.size() == 1);
    CHECK(made.trace.kernels[0].of == OpOfIteration{kSend, 0});
}

namespace {

// One device, two ops: op 0 is placed at [100, 200), op 1 at [500, 700).
Run placedRun()
{
    Run run;
    run.timeline.iterations.resize(1);
    run.timeline.tracks.push_back(
        {DeviceId{0}, Track::Kind::Compute, {{100, 200, 0, 0}, {500, 700, 1, 0}}});
    return run;
}

const std::vector<MeasuredWindow> kMeasured{{{0, 0}, {9000, 9100}}, {{1, 0}, {9100, 9300}}};

GpuKernel kernel(std::uint32_t op, Window window)
{
    GpuKernel result;
    result.of = {op, 0};
    result.window = window;
    return result;
}

} // namespace

TEST_CASE("GPU activity moves with its op from wall-clock time to the timeline")
{
    GpuTrace trace;
    trace.kernels = {kernel(0, {9050, 9060}), kernel(0, {9010, 9040}), kernel(1, {9150, 9290})};
    const GpuTrace placed = placeOnTimeline(trace, placedRun(), kMeasured);
    REQUIRE(placed.kernels.size() == 3);
    CHECK(placed.kernels[0].window == Window{140, 150});
    CHECK(placed.kernels[1].window == Window{100, 130}); // the first of op 0
    CHECK(placed.kernels[2].window == Window{500, 640});
    CHECK(placed.health.isComplete());
}

// Its window, [0, 0), was the first work of the op, so all other work moved off the timeline.
TEST_CASE("a kernel without a time stamp stays as it is, and its op's other work is placed")
{
    GpuTrace trace;
    trace.kernels
        = {kernel(0, {0, 0}), kernel(0, {9010, 9040}), kernel(0, {9050, 9060}), kernel(1, {0, 0})};
    const GpuTrace placed = placeOnTimeline(trace, placedRun(), kMeasured);
    REQUIRE(placed.kernels.size() == 4);
    CHECK(placed.kernels[0].window == Window{0, 0});
    CHECK(placed.kernels[1].window == Window{100, 130});
    CHECK(placed.kernels[2].window == Window{140, 150});
    CHECK(placed.kernels[3].window == Window{0, 0}); // the only work of op 1
    CHECK(placed.health.isComplete());
    moveBy(trace, -9000);
    CHECK(trace.kernels[0].window == Window{0, 0});
    CHECK(trace.kernels[1].window == Window{10, 40});
}

TEST_CASE("a call stays within the range of its op")
{
    GpuTrace trace;
    GpuCall call;
    call.of = {0, 0};
    call.window = {8990, 9150}; // began before, ends after
    trace.calls = {call};
    const GpuTrace placed = placeOnTimeline(trace, placedRun(), kMeasured);
    REQUIRE(placed.calls.size() == 1);
    CHECK(placed.calls[0].window == Window{100, 200});
}

TEST_CASE(
    "what belongs to no op cannot be placed and goes, an op that is not drawn counts as dropped")
{
    GpuTrace trace;
    trace.kernels = {kernel(7, {9010, 9050}), kernel(OpOfIteration::kNone, {1, 2})};
    trace.calls.resize(1); // outside of ops: ordinary, as are these
    trace.copies.resize(3);
    trace.memsets.resize(2);
    const GpuTrace placed = placeOnTimeline(trace, placedRun(), kMeasured);
    CHECK(placed.kernels.empty());
    CHECK(placed.calls.empty());
    CHECK(placed.copies.empty());
    CHECK(placed.memsets.empty());
    CHECK(placed.health.dropped == 1);
}

TEST_CASE("a library's range moves with the op that contains it, and the op's own range is dropped")
{
    GpuTrace trace;
    trace.ranges.resize(2);
    trace.ranges[0].of = {1, 0};
    trace.ranges[0].window = {9110, 9200};
    trace.ranges[1].window = {9110, 9120}; // of no op
    trace.launches = {{{9100, 9300}, {1, 0}, 7}};
    const GpuTrace placed = placeOnTimeline(trace, placedRun(), kMeasured);
    REQUIRE(placed.ranges.size() == 1);
    CHECK(placed.ranges[0].window == Window{510, 600});
    CHECK(placed.launches.empty());
}

TEST_CASE("on the one GPU that emulates all devices, work goes to the device it was emulated for")
{
    Run run = placedRun();
    run.schedule.program = {{Op{}}, {Op{}}}; // op 1 is device 1's
    GpuTrace trace;
    trace.kernels = {kernel(0, {9010, 9050}), kernel(1, {9150, 9290})};
    const GpuTrace placed = placeOnTimeline(trace, run, kMeasured);
    REQUIRE(placed.kernels.size() == 2);
    CHECK(placed.kernels[0].place.device == 0);
    CHECK(placed.kernels[1].place.device == 1);
}

// The records stayed in the first window, and those of later windows were dropped.
TEST_CASE("the GPU activity of a stream is in the windows of its ops")
{
    Run run = placedRun();
    run.schedule.program = {{Op{}, Op{}}};
    run.schedule.shape.windows = 2;
    run.timeline.iterations.resize(2);
    run.timeline.tracks[0].spans[1].iteration = 1;
    GpuTrace trace;
    trace.kernels = {kernel(0, {9010, 9050}), kernel(1, {9150, 9290}),
                     kernel(OpOfIteration::kOtherCopy, {1, 2}), kernel(OpOfIteration::kNone, {})};
    const auto add = [](auto& rows) {
        rows.resize(1);
        rows[0].of = {1, 0};
    };
    add(trace.copies);
    add(trace.memsets);
    add(trace.calls);
    add(trace.ranges);
    add(trace.launches);
    assignWindows(trace, run);
    CHECK(trace.kernels[0].of == OpOfIteration{0, 0});
    CHECK(trace.kernels[1].of == OpOfIteration{1, 1});
    CHECK(trace.kernels[2].of == OpOfIteration{OpOfIteration::kOtherCopy, 0});
    CHECK_FALSE(trace.kernels[3].of.isKnown());
    CHECK(trace.copies[0].of.iteration == 1);
    CHECK(trace.memsets[0].of.iteration == 1);
    CHECK(trace.calls[0].of.iteration == 1);
    CHECK(trace.ranges[0].of.iteration == 1);
    CHECK(trace.launches[0].of.iteration == 1);
    const GpuTrace placed = placeOnTimeline(
        trace, run, std::vector<MeasuredWindow>{{{0, 0}, {9000, 9100}}, {{1, 1}, {9100, 9300}}});
    REQUIRE(placed.kernels.size() == 2);
    CHECK(placed.kernels[1].window == Window{500, 640});
}

TEST_CASE("the origin of a live timeline follows from its spans")
{
    CHECK(originOf(placedRun(), std::vector<MeasuredWindow>{{{1, 0}, {9500, 9700}}}) == 9000);
    // The second of two ops that run as one began later than the window both have.
    CHECK(originOf(placedRun(),
                   std::vector<MeasuredWindow>{{{0, 0}, {9100, 9110}}, {{1, 0}, {9600, 9700}}})
          == 9000);
    CHECK_FALSE(originOf(placedRun(), {}));
}

TEST_CASE("a live trace only changes its origin")
{
    GpuTrace trace;
    trace.kernels = {kernel(0, {9010, 9050})};
    trace.allocations.resize(1);
    trace.allocations[0].time = 9020;
    trace.samples.resize(1);
    trace.samples[0].time = 9030;
    trace.launches = {{{9001, 9002}, {0, 0}, 7}};
    moveBy(trace, -9000);
    CHECK(trace.samples[0].time == 30);
    CHECK(trace.launches[0].window == Window{1, 2});
    CHECK(trace.kernels[0].window == Window{10, 50});
    CHECK(trace.allocations[0].time == 20);
}
