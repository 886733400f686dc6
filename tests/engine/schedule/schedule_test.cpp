#include "engine/schedule/schedule.h"
#include "engine/schedule/transfers.h"
#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

TEST_CASE("ops are numbered through by device, then position")
{
    Schedule schedule = scheduleOf("1f1b", 3, 2);
    schedule.program[{1}].clear(); // a device without ops has no numbers
    const OpIndex index(schedule);
    CHECK(index.count() == opCount(schedule));
    std::uint32_t number = 0;
    for (int d = 0; d < 3; ++d)
        for (std::size_t i = 0; i < schedule.on(DeviceId{d}).size(); ++i, ++number) {
            CHECK(index.of(DeviceId{d}, i) == number);
            CHECK(index.deviceOf(number) == DeviceId{d});
            CHECK(index.positionOf(number) == i);
            CHECK(opAt(schedule, index, number) == schedule.on(DeviceId{d})[i]);
        }
}

TEST_CASE("a schedule keeps only the ops of the named kinds, in their order")
{
    const Schedule order = scheduleOf("1f1b", 3, 2), all = lower(order);
    CHECK(holds(all, OpKind::SendActivation));
    const Schedule kept = keepOps(all, runsMicroBatch);
    for (const DeviceId device : order.program.ids())
        CHECK(std::ranges::equal(kept.on(device), order.on(device), {}, &Op::kind, &Op::kind));
    CHECK(isPass(OpKind::BackwardWeight));
    CHECK_FALSE(isPass(OpKind::Recompute));
    CHECK(runsMicroBatch(OpKind::Recompute));
    CHECK_FALSE(runsMicroBatch(OpKind::OptimizerStep));
}

TEST_CASE("an op is on the compute lane, a transfer or an all-reduce lane's")
{
    CHECK(isCompute(OpKind::Forward));
    CHECK(isCompute(OpKind::OptimizerStep));
    CHECK_FALSE(isCompute(OpKind::AllReduce));
    CHECK(isTransfer(OpKind::SendActivation));
    CHECK(isTransfer(OpKind::RecvGradient));
    CHECK_FALSE(isTransfer(OpKind::Evict));
    CHECK(isBackward(OpKind::BackwardWeight));
    CHECK_FALSE(isBackward(OpKind::Recompute));
}
