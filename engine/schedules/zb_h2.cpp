#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

Result<void> check(const ScheduleRequest& request)
{
    const int least = 2 * request.devices - 1;
    if (request.microBatches >= least)
        return {};
    return invalid("zb-h2 needs at least 2D-1 = {} micro-batches on {} devices, "
                   "not {}; use {}, or use zb-h1",
                   least, request.devices, request.microBatches, least);
}

constexpr std::string_view kDetails = R"(
The warm-up is filled with forwards, and no device idles between its first and its last op. The
bubble is zero if the next iteration may start before the last device has drained.

D = 2, N = 3; one column is one cost unit:

  device 0 | F0 F1 F2 I0 W0 I1 W1 I2 W2 ..
  device 1 | .. F0 I0 F1 I1 F2 I2 W0 W1 W2

Makespan 3N + (D-1), span 3N, peak stash 2D-1 on every device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    return parts::perDevice(request, parts::loopingDevice, 1, [&](parts::Program& program, int d) {
        parts::StageOps ops(program, d);
        const auto forward = [&] { ops.forward(); };
        const auto weight = [&] { ops.weight(); };
        const auto forwardAndInput = [&] {
            ops.forward();
            ops.input();
        };
        parts::repeat(2 * (devices - d) - 1, forward);
        ops.input();
        parts::repeat(d, forwardAndInput);
        parts::repeat(request.microBatches - (2 * devices - 1), [&] {
            ops.weight();
            forwardAndInput();
        });
        parts::repeat(d, forwardAndInput);
        parts::repeat(2 * (devices - d) - 2, [&] {
            ops.weight();
            ops.input();
        });
        parts::repeat(2 * d + 1, weight);
    });
}

} // namespace

Scheme zeroBubbleH2()
{
    return {.name = "zb-h2",
            .title = "ZB-H2",
            .summary = "split backward and twice the memory of 1F1B; no device idles between its "
                       "first and last op",
            .citation = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 2D-1; v = 1",
            .bubbleFormula = "(D-1)/(3N+D-1); 0 without fill and drain",
            .splitsBackward = true,
            .check = check,
            .build = build};
}

} // namespace engine
