#include "tests/support/pipelines.h"

using namespace engine;
using namespace tests;

namespace {

// Most micro-batches of one chunk that a device holds from F to B.
int peakStashOfWholeB(const Schedule& schedule, int device)
{
    int held = 0;
    int peak = 0;
    for (const Op& op : schedule.on(DeviceId{device})) {
        held += op.kind == OpKind::Forward ? 1 : -1;
        peak = std::max(peak, held);
    }
    return peak;
}

} // namespace

TEST_CASE("GPipe holds N micro-batches on every device, 1F1B min(N, D-d)")
{
    for (const int devices : {2, 3, 8, 64})
        for (const int microBatches : {1, 3, devices, 4 * devices})
            for (int d = 0; d < devices; ++d) {
                INFO("D=" << devices << " N=" << microBatches << " d=" << d);
                CHECK(peakStashOfWholeB(scheduleOf("gpipe", devices, microBatches), d)
                      == microBatches);
                CHECK(peakStashOfWholeB(scheduleOf("1f1b", devices, microBatches), d)
                      == std::min(microBatches, devices - d));
            }
}

TEST_CASE("BitPipe holds 3D/2+1+e chunks, whatever N: 7 8 8 7 on four devices")
{
    for (int devices = 2; devices <= 64; devices += devices < 16 ? 2 : 16)
        for (const int units : {1, 3, 8}) {
            const Schedule schedule = scheduleOf("bitpipe", devices, units * devices);
            for (int d = 0; d < devices; ++d) {
                INFO("D=" << devices << " K=" << units << " d=" << d);
                const int e = std::min(d, devices - 1 - d);
                CHECK(peakStashOfWholeB(schedule, d) == 3 * devices / 2 + 1 + e);
            }
        }
}

TEST_CASE("in BitPipe the first half of each unit goes down, the second up")
{
    const Schedule schedule = scheduleOf("bitpipe", 6, 18);
    for (const auto& ops : schedule.program)
        for (const Op& op : ops)
            CHECK(op.replica == (op.microBatch.value % 6 < 3 ? 0 : 1));
}

TEST_CASE("BitPipe's device pairs hold the same four stages, and both ends of the model")
{
    for (const int devices : {2, 4, 8, 32}) {
        const Schedule schedule = scheduleOf("bitpipe", devices, devices);
        for (int stage = 0; stage < 2 * devices; ++stage)
            CHECK(schedule.device(0, StageId{stage}).value
                  == devices - 1 - schedule.device(1, StageId{stage}).value);
        CHECK(schedule.device(0, StageId{0}) == schedule.device(0, StageId{2 * devices - 1}));
        CHECK(schedule.device(0, StageId{devices - 1}) == schedule.device(0, StageId{devices}));
    }
}
