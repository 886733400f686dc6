#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 2> kOrders{"fifo", "lifo"};
constexpr SchemeOption kBackward{"backward", "Order of the backwards", kOrders, {}};
constexpr std::array kOptions{kBackward};

constexpr std::string_view kDetails = R"(
All forwards, then all backwards, in the order of PyTorch (fifo) or of the paper (lifo).

D = 2, N = 3, fifo        device 0 | F0 F1 F2 .. .. B0 B1 B2
                          device 1 | .. F0 F1 F2 B0 B1 B2 ..

Makespan 3N + 3(D-1), bubble (D-1)/(N+D-1), peak stash N on every device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int microBatches = request.microBatches;
    const bool lifo = parts::chosen(request, kBackward) == "lifo";

    return parts::perDevice(request, parts::loopingDevice, 1, [&](parts::Program& program, int d) {
        for (int m = 0; m < microBatches; ++m)
            program.forward(d, m);
        for (int m = 0; m < microBatches; ++m)
            program.backward(d, lifo ? microBatches - 1 - m : m);
    });
}

} // namespace

Scheme gpipe()
{
    return {.name = "gpipe",
            .title = "GPipe",
            .summary = "all forwards, then all backwards",
            .citation = "Huang et al., GPipe, NeurIPS 2019",
            .details = kDetails,
            .family = "One direction",
            .bubbleFormula = "(D-1)/(N+D-1)",
            .options = kOptions,
            .build = build};
}

} // namespace engine
