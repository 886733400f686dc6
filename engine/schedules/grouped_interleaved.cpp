#include "engine/schedules/parts/delayed_weights.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

Result<void> check(const ScheduleRequest& request)
{
    return parts::checkUnits(request, {request.devices, "the devices"});
}

constexpr std::string_view kDetails = R"(
Interleaved 1F1B with fewer warm-up forwards: vD-1-d on device d. Each input gradient is directly
followed by the weight gradient of the same micro-batch. The previous stage waits only for the input
gradient, so weight gradients are off the critical path.

D = 2, N = 2, v = 1; one column is one cost unit:

  device 0 | F0 F1 .. I0 W0 .. I1 W1
  device 1 | .. F0 I0 W0 F1 I1 W1 ..

Makespan 3N + 2(D-1)/v, bubble 2(D-1)/(3vN+2(D-1)), peak stash D - d/v.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::delayedWeights(request, request.devices, parts::WeightDelay::None);
}

} // namespace

Scheme groupedInterleaved()
{
    return {.name = "grouped-interleaved",
            .title = "Grouped interleaved 1F1B (sail-sg)",
            .summary = "interleaved, each weight gradient directly after its input gradient",
            .citation = "sail-sg, zero-bubble-pipeline-parallelism, 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N a multiple of D; v >= 1",
            .bubbleFormula = "2(D-1)/(3vN+2(D-1))",
            .defaultChunks = 2,
            .chunksFixed = false,
            .splitsBackward = true,
            .check = check,
            .build = build};
}

} // namespace engine
