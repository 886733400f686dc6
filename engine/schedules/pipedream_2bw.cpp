#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kBatches{"D"};
constexpr SchemeOption kBatch{"batch", "Micro-batches per update, m", kBatches, 1};
constexpr std::array kOptions{kBatch};

int batchOf(const ScheduleRequest& request)
{
    return parts::chosenNumber(request, kBatch, request.devices);
}

Result<void> check(const ScheduleRequest& request)
{
    if (batchOf(request) < request.devices)
        return invalid(
            "pipedream-2bw needs at least as many micro-batches per update as devices, so that "
            "two versions are enough: batch={} for {} devices must be at least {}",
            batchOf(request), request.devices, request.devices);
    return parts::checkNoDataParallel(request);
}

constexpr std::string_view kDetails = R"(
1F1B without a flush; one update has the gradients of m >= D micro-batches. Batch k (micro-batches
km .. km+m-1) runs forward and backward with version max(0, k-1) of the weights, because version
k is not complete when the first micro-batch of the batch starts. A device keeps two versions at a
time (double-buffered weights). N is the size of a window of micro-batches. In the picture, the
number after the colon is the version.

D = 2, m = 2, N = 6       device 0 | F0:0 F1:0 B0:0 F2:0 B1:0 F3:0 B2:0 F4:1 B3:0 F5:1 B4:1 B5:1
  (order, not time)      device 1 | F0:0 B0:0 F1:0 B1:0 F2:0 B2:0 F3:0 B3:0 F4:1 B4:1 F5:1 B5:1

Simulation and training continue over all iterations without a flush, and there is no bubble in
the steady state, with peak stash D-d. A window alone has the makespan of 1F1B, 3N + 3(D-1), and
peak stash min(N, D-d).
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int batch = batchOf(request);
    return parts::asynchronousOneForwardOneBackward(
        request, batch,
        [batch](int, int, int microBatch) { return std::max(0, microBatch / batch - 1); });
}

} // namespace

Scheme pipedream2bw()
{
    return {.name = "pipedream-2bw",
            .title = "PipeDream-2BW, asynchronous",
            .summary
            = "1F1B without a flush, two weight versions, an update every m micro-batches; N "
              "is a window",
            .citation = "Narayanan et al., PipeDream-2BW, ICML 2021",
            .details = kDetails,
            .family = "Asynchronous",
            .accepts = "D >= 1; N >= 1; m >= D; v = 1",
            .bubbleFormula = "0; (D-1)/(N+D-1) for a window that drains",
            .asynchronous = true,
            .options = kOptions,
            .check = check,
            .build = build};
}

} // namespace engine
