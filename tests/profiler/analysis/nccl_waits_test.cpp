#include "engine/schedule/passes/passes.h"
#include "profiler/analysis/gpu_activity.h"
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

constexpr std::uint32_t kSend = 1, kReceive = 5, kSum = 3, kOtherSum = 8;

GpuTrace traceOf(std::initializer_list<std::pair<std::uint32_t, Window>> kernels)
{
    GpuTrace trace;
    trace.strings = {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "layerNorm"};
    for (const auto& [op, window] : kernels) {
        GpuKernel kernel;
        kernel.of = {op, 0};
        kernel.window = window;
        trace.kernels.push_back(kernel);
    }
    return trace;
}

using By = NcclSplit::By;

} // namespace

TEST_CASE("a message is under way from when the later of its two kernels has begun")
{
    const auto splits
        = splitNccl(traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}}), schedule());
    CHECK(splits
          == std::vector<NcclSplit>{{0, {100, 1000}, {1000, 1300}, By::Ranks},
                                    {1, {1000, 1000}, {1000, 1290}, By::Ranks}});
}

TEST_CASE("a sum begins with the last of its ranks")
{
    const auto splits = splitNccl(traceOf({{kSum, {0, 900}}, {kOtherSum, {500, 910}}}), schedule());
    CHECK(splits
          == std::vector<NcclSplit>{{0, {0, 500}, {500, 900}, By::Ranks},
                                    {1, {500, 500}, {500, 910}, By::Ranks}});
}

// The kernels of the first copy counted as those of all ranks.
TEST_CASE("a sum over data-parallel copies is not split, because a trace has only the first copy")
{
    Schedule copies = schedule();
    copies.shape.dataParallel = 2;
    const GpuTrace trace = traceOf({{kSum, {0, 900}}, {kOtherSum, {500, 910}}});
    const auto sums = splitNccl(trace, copies);
    REQUIRE(sums.size() == 2);
    CHECK(sums[0].by == By::None);
    const auto messages
        = splitNccl(traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}}), copies);
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].by == By::Ranks);
}

TEST_CASE("the transfer time of a rank without a trace comes from the link, or is unknown")
{
    const GpuTrace trace = traceOf({{kReceive, {100, 1300}}});
    CHECK(splitNccl(trace, schedule())
          == std::vector<NcclSplit>{{0, {100, 100}, {100, 1300}, By::None}});
    const LinkTime link = [](const Op& op) { return isTransfer(op.kind) ? 250 : 0; };
    CHECK(splitNccl(trace, schedule(), link)
          == std::vector<NcclSplit>{{0, {100, 1050}, {1050, 1300}, By::Link}});
    const LinkTime slow = [](const Op&) { return 5000; };
    CHECK(splitNccl(trace, schedule(), slow)
          == std::vector<NcclSplit>{{0, {100, 100}, {100, 1300}, By::Link}});
}

TEST_CASE("the two ends of a message are of one iteration")
{
    GpuTrace trace = traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}});
    trace.kernels[1].of.iteration = 1;
    for (const NcclSplit& split : splitNccl(trace, schedule()))
        CHECK(split.by == By::None);
}

TEST_CASE("other kernels, and those of no op, are not split")
{
    GpuTrace trace = traceOf({{kReceive, {100, 1300}}, {kSend, {1000, 1290}}});
    trace.kernels[0].name = 1;
    trace.kernels[1].of = {};
    CHECK(splitNccl(trace, schedule()).empty());
}
