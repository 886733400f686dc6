#include "engine/schedules/parts/delayed_weights.h"
#include "engine/schedules/schemes.h"

#include <algorithm>

namespace engine {
namespace {

// With at least D micro-batches in each group; at least 1.
std::int64_t groupsOf(int devices, std::int64_t microBatches)
{
    return std::max<std::int64_t>(1, microBatches / devices);
}

bool divides(int devices, std::int64_t microBatches)
{
    return microBatches % groupsOf(devices, microBatches) == 0;
}

// Every multiple of D is valid, so the search is short. Prefers the larger of two equally near
// numbers.
std::int64_t nearestMicroBatches(int devices, std::int64_t microBatches)
{
    for (std::int64_t away = 0;; ++away)
        for (const std::int64_t candidate : {microBatches + away, microBatches - away})
            if (divides(devices, candidate))
                return candidate;
}

Result<void> check(const ScheduleRequest& request)
{
    if (divides(request.devices, request.microBatches))
        return {};
    return invalid("interleaved-zb on {} devices needs {} groups of equal size, into which "
                   "{} micro-batches cannot be divided; the nearest is {}",
                   request.devices, groupsOf(request.devices, request.microBatches),
                   request.microBatches,
                   nearestMicroBatches(request.devices, request.microBatches));
}

constexpr std::string_view kDetails = R"(
Interleaved 1F1B with half the warm-up and split backward. Device d delays its weight gradients by d
input gradients, so that they fill the cool-down. A group has G = N / (N div D) micro-batches.

D = 2, N = 2, v = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 F0 F1 .. I0 W0 I1 W1 i0 w0 i1 w1
  device 1 | .. f0 f1 F0 I0 F1 I1 W0 i0 W1 i1 w0 w1

N >= D: makespan 3N + (D-1)/v, bubble (D-1)/(3vN+D-1), peak stash ((v-1)G+D)/v, which is D if D
divides N.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const std::int64_t groups = groupsOf(request.devices, request.microBatches);
    return parts::delayedWeights(request, request.microBatches / groups,
                                 parts::WeightDelay::Device);
}

} // namespace

Scheme interleavedZeroBubble()
{
    return {.name = "interleaved-zb",
            .title = "Interleaved zero bubble (PyTorch)",
            .summary = "interleaved 1F1B with split backward, weight gradients delayed",
            .citation = "PyTorch, ScheduleInterleavedZeroBubble; Qi et al., ICLR 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N a multiple of N div D; v >= 1",
            .bubbleFormula = "(D-1)/(3vN+D-1) for N >= D",
            .defaultChunks = 2,
            .chunksFixed = false,
            .splitsBackward = true,
            .check = check,
            .build = build};
}

} // namespace engine
