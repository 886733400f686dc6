#include "engine/schedule/passes/passes.h"
#include "profiler/analysis/nccl_waits.h"
#include "profiler/capture/link_nccl.h"
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
