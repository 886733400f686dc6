#include "engine/base/try.h"
#include "engine/schedules/parts/dual_pipe.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/schemes.h"

#include <algorithm>

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
Two pipelines in opposite directions, half of the micro-batches each. In the steady state every
forward runs as one op with a backward of the other direction (F&B), so that each hides the
communication of the other. At both ends backwards are split to fill bubbles.

D = 2, N = 4; micro-batches 0, 1 go down and 2, 3 up (lower case: up); F = I = W = 1, B = 2:

  device 0 | F0 f2 F1 b2 b2 [f3 B0 B0] b3 b3 I1 W1          brackets: one op
  device 1 | f2 F0 f3 B0 B0 [F1 b2 b2] B1 B1 i3 w3

Makespan 3N + 2(D/2-1) if F&B takes 3; peak stash D+1; every stage is on two devices.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int each = request.microBatches / 2;
    return parts::perDevice(request, parts::loopingDevice, 2, [&](parts::Program& program, int d) {
        const parts::DualPipePhase down{0, d, 0};
        const parts::DualPipePhase up{1, devices - 1 - d, each};
        const bool downFirst = d < devices / 2;
        parts::writeDualPipe(program, {downFirst ? down : up, downFirst ? up : down},
                             {std::min(d, devices - 1 - d), devices / 2, each});
    });
}

Result<void> check(const ScheduleRequest& request)
{
    TRY(parts::checkEvenDevices(request));
    TRY(parts::checkUnits(request, {2, "the directions"}));
    return parts::checkAtLeastTwiceTheDevices(request);
}

} // namespace

Scheme dualpipe()
{
    return {.name = "dualpipe",
            .title = "DualPipe",
            .summary
            = "two directions; each forward is joined with a backward of the other direction",
            .citation = "DeepSeek-AI, DeepSeek-V3, arXiv 2412.19437, 2024",
            .details = kDetails,
            .family = "Two directions",
            .accepts = "D >= 2, even; N >= 2D, even; v = 1",
            .bubbleFormula = "(D-2)/(3N+D-2)",
            .splitsBackward = true,
            .check = check,
            .build = build};
}

} // namespace engine
