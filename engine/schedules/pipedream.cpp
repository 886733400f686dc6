#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/schemes.h"

namespace engine {
namespace {

// Device 0 keeps one version per device, and versions are counted modulo 256.
constexpr int kMostDevices = 255;

Result<void> check(const ScheduleRequest& request)
{
    if (request.devices > kMostDevices)
        return invalid(
            "pipedream keeps one weight version per device; {} devices exceed the limit of {}",
            request.devices, kMostDevices);
    return parts::checkNoDataParallel(request);
}

constexpr std::string_view kDetails = R"(
1F1B without a flush: each backward is followed by an update, and the backward of a micro-batch
uses the same weights as its forward (weight stashing). On device d micro-batch n is D-1-d
updates behind and uses version max(0, n-(D-1-d)). N is the size of a window of micro-batches. In
the picture, the number after the colon is the version.

D = 2, N = 4              device 0 | F0:0 F1:0 B0:0 F2:1 B1:0 F3:2 B2:1 B3:2
  (order, not time)      device 1 | F0:0 B0:0 F1:1 B1:1 F2:2 B2:2 F3:3 B3:3

Simulation and training continue over all iterations without a flush, and there is no bubble in
the steady state, with peak stash D-d. A window alone has the makespan of 1F1B, 3N + 3(D-1), and
peak stash min(N, D-d). Device d keeps D-d versions of its weights.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    return parts::asynchronousOneForwardOneBackward(
        request, 1, [](int devices, int device, int microBatch) {
            return std::max(0, microBatch - (devices - 1 - device));
        });
}

} // namespace

Scheme pipedream()
{
    return {.name = "pipedream",
            .title = "PipeDream, asynchronous",
            .summary = "1F1B without a flush, an update after every micro-batch; N is a window",
            .citation = "Narayanan et al., PipeDream, SOSP 2019",
            .details = kDetails,
            .family = "Asynchronous",
            .accepts = "1 <= D <= 255; N >= 1; v = 1",
            .bubbleFormula = "0; (D-1)/(N+D-1) for a window that drains",
            .asynchronous = true,
            .check = check,
            .build = build};
}

} // namespace engine
