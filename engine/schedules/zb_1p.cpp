#include "engine/schedules/parts/limited_memory.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
ZB-1P is the shortest schedule that the search finds for the given costs of F, I and W. No device
holds more stashes than the first device of 1F1B.

D = 2, N = 3; one column is one cost unit:

  device 0 | F0 F1 .. I0 W0 F2 I1 W1 I2 W2
  device 1 | .. F0 I0 F1 I1 W0 F2 I2 W1 W2

With F = I = W: for N >= D makespan 3N + (D-1) and bubble (D-1)/(3N+D-1), as in ZB-H1; for N < D
makespan 2N + 2D - 1. Peak stash min(N, D).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::searchWithinMemory(request, request.devices);
}

} // namespace

Scheme zeroBubble1P()
{
    return {.name = "zb-1p",
            .title = "ZB-1P",
            .summary = "split backward, the shortest schedule found within the memory of 1F1B",
            .citation = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .bubbleFormula = "(D-1)/(3N+D-1) for N >= D",
            .splitsBackward = true,
            .options = parts::kCostOptions,
            .build = build};
}

} // namespace engine
