#include "engine/schedules/parts/repeated_block.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
The stages are placed as in ZB-V, and the memory is a third of ZB-V's: a micro-batch passes forward
and backward without waiting. The block of one micro-batch is repeated every six time slots (a slot
is half a cost unit) and then compacted. Its ops begin in these slots, with e = 2 if 3 divides D,
else 0:

  F(first) d   F(second) 2D-1-d   I(second) 2D+e+d   I(first) 4D-1+e-d

D = 2, N = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 .. F0 I0 F1 I1 i0 W0 i1 W1 w0 w1
  device 1 | .. f0 F0 f1 F1 I0 i0 I1 i1 W0 W1 w0 w1

N >= D > 1: makespan 3N + 2D - 2.5 for D = 3k+1, 3N + 2D - 3.5 for other D. Peak stash
ceil((D+2)/3) on the fullest device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int gap = devices % 3 == 0 ? 2 : 0;
    return parts::repeatedBlock(request, parts::BlockBackward::Split, [&](int d) {
        return parts::BlockSlots{d, 2 * devices - 1 - d, 2 * devices + gap + d,
                                 4 * devices - 1 + gap - d};
    });
}

} // namespace

Scheme vMin()
{
    return {.name = "v-min",
            .title = "V-Min",
            .summary = "a third of 1F1B's memory: split backward in a V-shaped placement",
            .citation = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 1; v = 2",
            .bubbleFormula = "(4D-5)/(6N+4D-5) for D = 3k+1, else (4D-7)/(6N+4D-7); N >= D > 1",
            .defaultChunks = 2,
            .splitsBackward = true,
            .build = build};
}

} // namespace engine
