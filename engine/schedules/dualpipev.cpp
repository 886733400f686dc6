#include "engine/schedules/parts/dual_pipe.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
DualPipe cut in half: one pipeline of 2D stages in a V over D devices. The forward path replaces
one direction, the return path the other, so one set of weights is enough.

D = 1, N = 2              device 0 | f0 F0 f1 B0 B0 [F1 b0 b0] B1 B1 i1 w1

(upper case: second chunk; brackets: one op; one column is half a cost unit)

Makespan 3N + (D-1) if F&B takes 3; peak stash D+1/2 on every device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    return parts::perDevice(request, parts::vDevice, 1, [&](parts::Program& program, int d) {
        parts::writeDualPipe(program, {{{0, d, 0}, {0, 2 * devices - 1 - d, 0}}},
                             {d, devices, request.microBatches});
    });
}

} // namespace

Scheme dualpipev()
{
    return {.name = "dualpipev",
            .title = "DualPipeV",
            .summary = "DualPipe cut in half: one model in a V-shaped placement",
            .citation = "DeepSeek-AI, DualPipe, 2025; Sea AI Lab, cut-in-half, 2025",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 2D; v = 2",
            .bubbleFormula = "(D-1)/(3N+D-1)",
            .defaultChunks = 2,
            .splitsBackward = true,
            .check = parts::checkAtLeastTwiceTheDevices,
            .build = build};
}

} // namespace engine
