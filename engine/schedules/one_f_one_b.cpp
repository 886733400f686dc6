#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
Device d runs min(N, D-1-d) warm-up forwards, then alternating forwards and backwards, then the
cool-down backwards. Every backward runs as early as possible.

D = 2, N = 3              device 0 | F0 F1 .. B0 F2 B1 .. B2
                          device 1 | .. F0 B0 F1 B1 F2 B2 ..

Makespan 3N + 3(D-1), bubble (D-1)/(N+D-1), peak stash min(N, D-d).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const auto warmUp = [](int devices, int device) { return devices - 1 - device; };
    return parts::oneForwardOneBackward(request, warmUp);
}

} // namespace

Scheme oneFOneB()
{
    return {.name = "1f1b",
            .title = "1F1B (PipeDream-Flush, DAPPLE)",
            .summary = "alternating forwards and backwards",
            .citation
            = "Narayanan et al., PipeDream-2BW, ICML 2021; Fan et al., DAPPLE, PPoPP 2021",
            .details = kDetails,
            .family = "One direction",
            .bubbleFormula = "(D-1)/(N+D-1)",
            .build = build};
}

} // namespace engine
