#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

constexpr std::string_view kDetails = R"(
Two alternating pipelines in opposite directions: even micro-batches go down, odd ones up. On each
device the forward of a micro-batch follows the backward of the previous micro-batch.

D = 2, N = 2              device 0 | F0 .. .. .. B0 B0 f1 b1 b1 .. ..
                          device 1 | .. F0 B0 B0 f1 .. .. .. .. b1 b1  (lower case: up)

Makespan 3D + (N-1)(2D+1): the bubble approaches (D-1)/(D+1/2). Peak stash 1 on every device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::perDevice(request, parts::loopingDevice, 2, [&](parts::Program& program, int d) {
        for (int m = 0; m < request.microBatches; ++m) {
            const int replica = m % 2;
            const int stage = replica == 0 ? d : request.devices - 1 - d;
            program.forward(stage, m, replica);
            program.backward(stage, m, replica);
        }
    });
}

} // namespace

Scheme gems()
{
    return {.name = "gems",
            .title = "GEMS",
            .summary = "two alternating directions with the least activation memory",
            .citation = "Jain et al., GEMS, SC 2020",
            .details = kDetails,
            .family = "Two directions",
            .bubbleFormula = "1 - 3N/(3D+(N-1)(2D+1))",
            .build = build};
}

} // namespace engine
