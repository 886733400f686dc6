#include "engine/schedules/parts/repeated_block.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
The stages are placed as in ZB-V, and the memory is half of ZB-V's: forwards and backwards leave
every other time slot (half a cost unit) to the other chunk, so that the second chunk of a device
follows soon after the first. The block of one micro-batch is repeated every six slots and then
compacted. Its ops begin in these slots, with e = 3 for even D, else 0:

  F(first) 2d   F(second) 3D-2-d   I(second) 3D-1+e+2d   I(first) 6D-2+e-d

D = 2, N = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 .. F0 I0 F1 I1 i0 W0 i1 W1 w0 w1
  device 1 | .. f0 F0 f1 F1 I0 i0 I1 i1 W0 W1 w0 w1

N >= D > 2: makespan 3N + 1.5D - 3.5 for even D, with the memory of (D+2)/2 micro-batches on the
fullest device; 3N + 1.5D - 2 and (D+1)/2 for odd D.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int gap = devices % 2 == 0 ? 3 : 0;
    return parts::repeatedBlock(request, parts::BlockBackward::Split, [&](int d) {
        return parts::BlockSlots{2 * d, 3 * devices - 2 - d, 3 * devices - 1 + gap + 2 * d,
                                 6 * devices - 2 + gap - d};
    });
}

} // namespace

Scheme vHalf()
{
    return {.name = "v-half",
            .title = "V-Half",
            .summary = "half of 1F1B's memory: split backward in a V-shaped placement",
            .citation = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 1; v = 2",
            .bubbleFormula = "(3D-7)/(6N+3D-7) for even D, (3D-4)/(6N+3D-4) for odd D; N >= D > 2",
            .defaultChunks = 2,
            .splitsBackward = true,
            .build = build};
}

} // namespace engine
