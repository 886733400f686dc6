#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/delayed_weights.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kGroups{"D"};
constexpr SchemeOption kGroup{"group", "Micro-batches per group", kGroups, 1};
constexpr std::array kOptions{kGroup};

int groupOf(const ScheduleRequest& request)
{
    return parts::chosenNumber(request, kGroup, request.devices);
}

// Checks the number of micro-batches that remain after the last full group of G. Megatron-LM allows
// 0 or D. In fact 0 or any remainder of at least D-2 works; others deadlock in a ring (found by
// running all D up to 10 with N and G up to 2D). Fewer than G micro-batches are one group.
Result<void> check(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int group = groupOf(request);
    if (group < devices)
        return invalid("interleaved-1f1b needs at least as many micro-batches per group "
                       "as devices ({}), not {}; the nearest is {}",
                       devices, group, devices);
    const std::int64_t left = request.microBatches % group;
    if (left == 0 || left >= devices - 2 || request.microBatches < group)
        return {};
    const std::int64_t missing = devices - 2 - left;
    return invalid("interleaved-1f1b needs groups of {} micro-batches with a remainder of 0 or at "
                   "least {}, but {} micro-batches leave {}; the nearest is {}",
                   group, devices - 2, request.microBatches, left,
                   left < missing ? request.microBatches - left : request.microBatches + missing);
}

constexpr std::string_view kDetails = R"(
Device d holds stages d, D+d, 2D+d, ... and processes them in groups of G = D micro-batches. It runs
2(D-1-d) + (v-1)G warm-up forwards, then alternating forwards and backwards.

D = 2, N = 2, v = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 F0 F1 .. .. B0 B0 .. B1 B1 b0 b0 b1 b1
  device 1 | .. f0 f1 F0 B0 B0 F1 B1 B1 b0 b0 b1 b1 .. ..

After the last full group either none or at least D-2 micro-batches may remain; Megatron-LM requires
0 or D. If N < G, all micro-batches are one group.

N a multiple of G: makespan 3N + 3(D-1)/v, bubble (D-1)/(vN+D-1), peak stash
min(N, (2(D-1-d) + (v-1)G + 1)/v).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int chunks = parts::chunksOf(request);
    const int group = groupOf(request);
    const parts::VirtualIds ids({devices, request.microBatches, chunks, group});
    return parts::perDevice(request, parts::loopingDevice, 1, [&](parts::Program& program, int d) {
        parts::alternate(
            ids.count(), std::int64_t{2} * (devices - 1 - d) + std::int64_t{group} * (chunks - 1),
            [&](int k) { program.forward(ids.forwardStage(k, d), ids.microBatch(k)); },
            [&](int k) { program.backward(ids.backwardStage(k, d), ids.microBatch(k)); });
    });
}

} // namespace

Scheme interleavedOneFOneB()
{
    return {.name = "interleaved-1f1b",
            .title = "Interleaved 1F1B (Megatron-LM)",
            .summary = "1F1B over v looping chunks per device",
            .citation = "Narayanan et al., Megatron-LM, SC 2021",
            .details = kDetails,
            .family = "One direction",
            .accepts
            = "D >= 1; N a multiple of the group G, or with a remainder of at least D-2, or "
              "N < G; v >= 1",
            .bubbleFormula = "(D-1)/(vN+D-1) for N = kD",
            .defaultChunks = 2,
            .chunksFixed = false,
            .options = kOptions,
            .check = check,
            .build = build};
}

} // namespace engine
