#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
Eager 1F1B with one more warm-up forward: 2(D-1-d)+1 on device d. In the steady phase forward and
backward of a device are therefore independent, so each hides the messages of the other.

D = 2, N = 4; one column is one cost unit:

  device 0 | F0 F1 F2 F3 .. B0 B0 .. B1 B1 .. B2 B2 B3 B3
  device 1 | .. F0 F1 B0 B0 F2 B1 B1 F3 B2 B2 B3 B3 .. ..

Makespan 3N + 3(D-1), bubble (D-1)/(N+D-1), peak stash min(N, 2(D-d)).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const auto warmUp = [](int devices, int device) { return 2 * (devices - 1 - device) + 1; };
    return parts::oneForwardOneBackward(request, warmUp);
}

} // namespace

Scheme oneFOneBOverlap()
{
    return {.name = "1f1b-overlap",
            .title = "1F1B with overlap",
            .summary = "1F1B whose steady forwards and backwards are independent",
            .citation = "Victarry, PP-Schedule-Visualization, 2025",
            .details = kDetails,
            .family = "One direction",
            .bubbleFormula = "(D-1)/(N+D-1)",
            .build = build};
}

} // namespace engine
