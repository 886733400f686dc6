#include "engine/schedules/parts/repeated_block.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
The stages are placed as in ZB-V. Backwards are whole, and the memory is two thirds of 1F1B's. The
block of one micro-batch is repeated every six time slots (a slot is half a cost unit) and then
compacted. In a block the forwards are consecutive, and the backwards wait three slots after every
third backward, so that no two ops of a device use the same slot of the period. The ops of the two
chunks begin in these slots, with e = 3 if 3 divides D, else 0, and k = d on the second chunk and
2D-1-d on the first:

  F(first) d   F(second) 2D-1-d   B 2D + e + 2k + 3 floor((k + (3 - (D+2) mod 3) mod 3) / 3)

D = 2, N = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 .. F0 B0 B0 F1 B1 B1 .. b0 b0 .. .. b1 b1
  device 1 | .. f0 F0 f1 F1 .. B0 B0 b0 b0 B1 B1 b1 b1 .. ..

N >= D > 3: makespan at most 3N + 2.5D - c, c = 4, 2.5, 3.5 for D = 3k, 3k+1, 3k+2. Peak stash
ceil(2D/3), and one more if 3 divides D, on the fullest device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int gap = devices % 3 == 0 ? 3 : 0;
    const int phase = (3 - (devices + 2) % 3) % 3;
    const auto backward = [&](int k) { return 2 * devices + gap + 2 * k + 3 * ((k + phase) / 3); };
    return parts::repeatedBlock(request, parts::BlockBackward::Whole, [&](int d) {
        return parts::BlockSlots{d, 2 * devices - 1 - d, backward(d),
                                 backward(2 * devices - 1 - d)};
    });
}

} // namespace

Scheme vOneFOneB()
{
    return {.name = "v-1f1b",
            .title = "1F1B-V",
            .summary = "two thirds of 1F1B's memory: whole backwards in a V-shaped placement",
            .citation = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024",
            .details = kDetails,
            .family = "One direction",
            .accepts = "D >= 1; N >= 1; v = 2",
            .bubbleFormula
            = "at most (5D-2c)/(6N+5D-2c), c = 4, 2.5, 3.5 for D = 3k, 3k+1, 3k+2; N >= D > 3",
            .defaultChunks = 2,
            .build = build};
}

} // namespace engine
