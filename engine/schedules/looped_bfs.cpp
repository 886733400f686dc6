#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 2> kOrders{"lifo", "fifo"};
constexpr SchemeOption kBackward{"backward", "Order of the backwards", kOrders, {}};
constexpr std::array kOptions{kBackward};

constexpr std::string_view kDetails = R"(
A device runs all forwards of a chunk, then all forwards of the next chunk. Backwards are run
likewise, starting with the last chunk, in the order of PyTorch (lifo) or of the paper (fifo).

D = 2, N = 2, v = 2, fifo; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 F0 F1 .. .. .. B0 B0 B1 B1 b0 b0 b1 b1
  device 1 | .. f0 f1 F0 F1 B0 B0 B1 B1 b0 b0 b1 b1 .. ..

N >= D: makespan 3N + 3(D-1)/v, bubble (D-1)/(vN+D-1). Peak stash N on every device. If
the weights are sharded, one all-gather and one reduce-scatter per chunk are enough.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int microBatches = request.microBatches;
    const int chunks = parts::chunksOf(request);
    const bool lifo = parts::chosen(request, kBackward) == "lifo";
    return parts::perDevice(request, parts::loopingDevice, 1, [&](parts::Program& program, int d) {
        for (int chunk = 0; chunk < chunks; ++chunk)
            for (int m = 0; m < microBatches; ++m)
                program.forward(chunk * request.devices + d, m);
        for (int chunk = chunks - 1; chunk >= 0; --chunk)
            for (int m = 0; m < microBatches; ++m)
                program.backward(chunk * request.devices + d, lifo ? microBatches - 1 - m : m);
    });
}

} // namespace

Scheme loopedBfs()
{
    return {.name = "looped-bfs",
            .title = "Looped BFS (breadth-first)",
            .summary = "all micro-batches pass through a chunk before the next chunk starts",
            .citation = "Lamy-Poirier, Breadth-First Pipeline Parallelism, MLSys 2023",
            .details = kDetails,
            .family = "One direction",
            .accepts = "D >= 1; N >= 1; v >= 1",
            .bubbleFormula = "(D-1)/(vN+D-1) for N >= D",
            .defaultChunks = 2,
            .chunksFixed = false,
            .options = kOptions,
            .build = build};
}

} // namespace engine
