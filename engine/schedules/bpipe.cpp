#include "engine/schedule/passes/passes.h"
#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 2> kPolicies{"lazy", "steady"};
constexpr SchemeOption kPolicy{"policy", "Stashes to evict", kPolicies, {}};
constexpr std::array kOptions{kPolicy};

constexpr std::string_view kDetails = R"(
1F1B whose first devices, which hold the most stashes, move some of them to the last devices: device
d < D/2 evicts a stash to its partner D-1-d after a forward and loads it one op before the backward.
Both transfers are concurrent with compute. The paper defines the pairs and the bound on stashes,
but not which stashes are evicted; the two policies are our own and keep the bound.

D = 4, N = 6, policy=lazy; an evict or load takes as long as a forward; device 0 holds 3 stashes
instead of 4:

  device 0 | F0 F1 F2 F3 .. .. .. .. .. .. B0 B0 F4 B1 B1 F5 B2 B2 .. B3 B3 .. B4 B4 .. B5 B5
  evicts   | .. .. e1 .. e3 .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. .. ..
  loads    | .. .. .. .. .. .. .. .. .. .. .. .. l1 .. .. .. .. .. l3 .. .. .. .. .. .. .. ..

Makespan 3N + 3(D-1) if an evict or load takes no longer than a forward; bubble (D-1)/(N+D-1), as in
1F1B. Peak stash at most ceil((D+2)/2) on every device; a moving stash counts on both devices.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const auto warmUp = [](int devices, int device) { return devices - 1 - device; };
    return balanceStash(parts::oneForwardOneBackward(request, warmUp),
                        parts::chosen(request, kPolicy) == "steady" ? EvictPolicy::Steady
                                                                    : EvictPolicy::Lazy);
}

} // namespace

Scheme bpipe()
{
    return {.name = "bpipe",
            .title = "BPipe",
            .summary = "1F1B that evicts stashes from the first devices to the last",
            .citation = "Kim et al., BPipe, ICML 2023",
            .details = kDetails,
            .family = "One direction",
            .bubbleFormula = "(D-1)/(N+D-1)",
            .options = kOptions,
            .build = build};
}

} // namespace engine
