#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
1F1B with twice the warm-up: 2(D-1-d) forwards on device d. If messages are free, it has no
advantage over 1F1B; messages that take as long as a forward are hidden.

D = 2, N = 4; one column is one cost unit:

  device 0 | F0 F1 F2 .. B0 B0 F3 B1 B1 .. B2 B2 .. B3 B3
  device 1 | .. F0 B0 B0 F1 B1 B1 F2 B2 B2 F3 B3 B3 .. ..

Makespan 3N + 3(D-1), bubble (D-1)/(N+D-1), peak stash min(N, 2(D-d)-1).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const auto warmUp = [](int devices, int device) { return 2 * (devices - 1 - device); };
    return parts::oneForwardOneBackward(request, warmUp);
}

} // namespace

Scheme eagerOneFOneB()
{
    return {.name = "eager-1f1b",
            .title = "Eager 1F1B",
            .summary = "1F1B with a longer warm-up that hides one message per hop",
            .citation
            = "Zhuang et al., On Optimizing the Communication of Model Parallelism, MLSys 2023",
            .details = kDetails,
            .family = "One direction",
            .bubbleFormula = "(D-1)/(N+D-1)",
            .build = build};
}

} // namespace engine
