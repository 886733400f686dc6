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
    Scheme scheme;
    scheme.name = "1f1b";
    scheme.title = "1F1B (PipeDream-Flush, DAPPLE)";
    scheme.summary = "alternating forwards and backwards";
    scheme.citation = "Narayanan et al., PipeDream-2BW, ICML 2021; Fan et al., DAPPLE, PPoPP 2021";
    scheme.details = kDetails;
    scheme.family = "One direction";
    scheme.accepts = "D >= 1; N >= 1; v = 1";
    scheme.bubbleFormula = "(D-1)/(N+D-1)";
    scheme.build = build;
    return scheme;
}

} // namespace engine
