#include "engine/schedules/parts/in_turn.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/options.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/parts/virtual_ids.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

Result<void> check(const ScheduleRequest& request)
{
    return parts::checkUnits(request, {request.devices, "the devices"});
}

// Interleaved 1F1B with fewer warm-up forwards, vD-1-d. A backward is its input gradient directly
// followed by its weight gradient, which is so off the critical path.
//
// D = 2, N = 2, v = 1; one column is one unit:
//
//   device 0 | F0 F1 .. I0 W0 .. I1 W1
//   device 1 | .. F0 I0 W0 F1 I1 W1 ..
//
// Makespan 3N + 2(D-1)/v, bubble 2(D-1)/(3vN+2(D-1)), peak stash D - d/v.
Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int chunks = parts::chunksOf(request);
    const parts::VirtualIds ids({devices, request.microBatches, chunks, devices});
    Schedule schedule = parts::emptySchedule(request, parts::loopingDevice);
    for (int d = 0; d < devices; ++d) {
        parts::Program program(schedule, d);
        program.reserve(3 * ids.count());
        parts::inTurn(
            ids.count(), chunks * devices - 1 - d,
            [&](int k) { program.forward(ids.forwardStage(k, d), ids.microBatch(k)); },
            [&](int k) {
                program.backwardInput(ids.backwardStage(k, d), ids.microBatch(k));
                program.backwardWeight(ids.backwardStage(k, d), ids.microBatch(k));
            });
    }
    return schedule;
}

} // namespace

Scheme groupedInterleaved()
{
    Scheme scheme;
    scheme.name = "grouped-interleaved";
    scheme.title = "Grouped interleaved 1F1B (sail-sg)";
    scheme.summary = "interleaved, a weight gradient right behind each input gradient";
    scheme.citation = "sail-sg, zero-bubble-pipeline-parallelism, 2024";
    scheme.family = "Zero bubble";
    scheme.accepts = "D >= 1; N a multiple of D; v >= 1";
    scheme.bubbleFormula = "2(D-1)/(3vN+2(D-1))";
    scheme.defaultChunks = 2;
    scheme.chunksFixed = false;
    scheme.splitsBackward = true;
    scheme.check = check;
    scheme.build = build;
    return scheme;
}

} // namespace engine
