#include "engine/schedules/parts/delayed_weights.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
1F1B with split backward: device d delays its weight gradients by d input gradients and fills the
cool-down with them. No device holds more stashes than the first device of 1F1B.

D = 2, N = 3; one column is one cost unit:

  device 0 | F0 F1 .. I0 W0 F2 I1 W1 I2 W2
  device 1 | .. F0 I0 F1 I1 W0 F2 I2 W1 W2

N >= D: makespan 3N + (D-1), bubble (D-1)/(3N+D-1). Peak stash min(N, D) on every device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::delayedWeights(request, request.microBatches, parts::WeightDelay::Device);
}

} // namespace

Scheme zeroBubbleH1()
{
    return {.name = "zb-h1",
            .title = "ZB-H1",
            .summary = "1F1B with split backward, weight gradients in the cool-down",
            .citation = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .bubbleFormula = "(D-1)/(3N+D-1) for N >= D",
            .splitsBackward = true,
            .build = build};
}

} // namespace engine
