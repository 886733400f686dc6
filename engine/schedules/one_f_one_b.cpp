#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <algorithm>

namespace engine {
namespace {

// Device d runs min(N, D-1-d) warm-up forwards, then one forward and one backward in turn, then the
// cool-down backwards: a backward as early as it can be.
//
// D = 2, N = 3              device 0 | F0 F1 .. B0 F2 B1 .. B2
//                           device 1 | .. F0 B0 F1 B1 F2 B2 ..
//
// Makespan 3N + 3(D-1), bubble (D-1)/(N+D-1), peak stash min(N, D-d).
Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int microBatches = request.microBatches;

    Shape shape{devices, devices, microBatches};
    shape.dataParallel = request.dataParallel;
    Schedule schedule = parts::emptySchedule("1f1b", shape, parts::loopingDevice);
    for (int d = 0; d < devices; ++d) {
        const int warmUp = std::min(microBatches, devices - 1 - d);
        const int steady = microBatches - warmUp;
        parts::Program program(schedule, d);
        program.reserve(2 * microBatches);
        for (int m = 0; m < warmUp; ++m)
            program.forward(d, m);
        for (int m = 0; m < steady; ++m) {
            program.forward(d, warmUp + m);
            program.backward(d, m);
        }
        for (int m = steady; m < microBatches; ++m)
            program.backward(d, m);
    }
    return schedule;
}

} // namespace

Scheme oneFOneB()
{
    Scheme scheme;
    scheme.name = "1f1b";
    scheme.title = "1F1B (PipeDream-Flush, DAPPLE)";
    scheme.summary = "one forward, one backward in turn";
    scheme.citation = "Narayanan et al., PipeDream-2BW, ICML 2021; Fan et al., DAPPLE, PPoPP 2021";
    scheme.family = "One direction";
    scheme.accepts = "D >= 1; N >= 1; v = 1";
    scheme.bubbleFormula = "(D-1)/(N+D-1)";
    scheme.build = build;
    return scheme;
}

} // namespace engine
