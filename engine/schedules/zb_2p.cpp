#include "engine/schedules/parts/limited_memory.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
ZB-2P is the shortest schedule that the search finds for the given costs of F, I and W. No device
holds more than twice the stashes of the first device of 1F1B.

D = 2, N = 3; one column is one cost unit:

  device 0 | F0 F1 F2 I0 W0 I1 W1 I2 W2 ..
  device 1 | .. F0 I0 F1 I1 F2 I2 W0 W1 W2

With F = I = W: for N >= D makespan 3N + (D-1); for N >= 2D-1 also span 3N, as in ZB-H2. Peak stash
min(N, 2D).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::searchWithinMemory(request, 2 * request.devices);
}

} // namespace

Scheme zeroBubble2P()
{
    return {.name = "zb-2p",
            .title = "ZB-2P",
            .summary
            = "split backward, the shortest schedule found within twice the memory of 1F1B",
            .citation = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .bubbleFormula = "(D-1)/(3N+D-1) for N >= D; 0 without fill and drain for N >= 2D-1",
            .splitsBackward = true,
            .options = parts::kCostOptions,
            .build = build};
}

} // namespace engine
