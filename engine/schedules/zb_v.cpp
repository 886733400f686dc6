#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <algorithm>

namespace engine {
namespace {

// Writes the program of one device. The device has two chunks, on the forward path (0) and the
// return path (1). The rule needs at least 2D-1 micro-batches; those beyond N are not appended.
void write(parts::Program& program, int device, const ScheduleRequest& request)
{
    const int devices = request.devices, written = request.microBatches;
    const int planned = std::max(written, 2 * devices - 1);
    parts::StageOps there(program, device, 0, 0, written);
    parts::StageOps back(program, 2 * devices - 1 - device, 0, 0, written);
    const auto returnPath = [&] { // the ops of the next micro-batch
        back.forward();
        back.input();
        back.weight();
    };
    const int last = devices - device; // devices up to the turning point
    parts::repeat(2 * last - 1, [&] { there.forward(); });
    parts::repeat(device, [&] {
        back.forward();
        there.forward();
    });
    parts::repeat(last, returnPath);
    while (back.forwards() < planned) {
        if (there.forwards() < planned)
            there.forward();
        there.input();
        there.weight();
        returnPath();
    }
    parts::repeat(device, [&] {
        there.input();
        back.input();
    });
    parts::repeat(last, [&] {
        there.input();
        there.weight();
    });
    for (parts::StageOps* const chunk : {&back, &there})
        while (chunk->weights() < planned)
            chunk->weight();
}

constexpr std::string_view kDetails = R"(
The placement is V-shaped, so the first device holds the first and the last stage; the backward is
split. No device idles between its first and last op, and the memory is that of 1F1B.

D = 2, N = 3, v = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 f2 F0 I0 W0 F1 I1 W1 i0 w0 F2 I2 W2 i1 w1 i2 w2 ..
  device 1 | .. f0 F0 f1 F1 I0 W0 f2 i0 w0 F2 I1 W1 i1 I2 i2 w1 W2 w2

N >= 2D-1: makespan 3N + (D-1)/2, span 3N, peak stash D on every device; zero bubble only if
F = I = W.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::perDevice(request, parts::vDevice, 1,
                            [&](parts::Program& program, int d) { write(program, d, request); });
}

} // namespace

Scheme zeroBubbleV()
{
    return {.name = "zb-v",
            .title = "ZB-V",
            .summary = "split backward in a V-shaped placement",
            .citation = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024; "
                        "PyTorch, ScheduleZBVZeroBubble",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 1; v = 2",
            .bubbleFormula = "(D-1)/(6N+D-1) for N >= 2D-1; 0 without fill and drain",
            .defaultChunks = 2,
            .splitsBackward = true,
            .build = build};
}

} // namespace engine
