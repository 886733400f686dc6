#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <fmt/format.h>

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kCounts{"2"};
constexpr SchemeOption kSlices{"slices", "Sequence slices", kCounts, 1};
constexpr std::array kOptions{kSlices};
constexpr int kDefaultSlices = 2;

int slicesOf(const ScheduleRequest& request)
{
    return parts::chosenNumber(request, kSlices, kDefaultSlices);
}

Result<void> check(const ScheduleRequest& request)
{
    if (slicesOf(request) < Op::kWhole)
        return {};
    return fail(Error::Code::InvalidArgument,
                fmt::format("seq1f1b supports fewer than {} slices per micro-batch, not {}",
                            Op::kWhole, slicesOf(request)));
}

constexpr std::string_view kDetails = R"(
1F1B over the S slices of each sequence. Forwards run from the first slice to the last, because a
slice attends to earlier slices; backwards run from the last to the first. Device d runs
min(NS, D-2-d+S) warm-up forwards.

D = 2, N = 2, S = 2; one column is half a cost unit:

  device 0 | F0.0 F0.1 F1.0 .... .... B0.1 B0.1 F1.1 B0.0 B0.0 .... B1.1 B1.1 B1.0 B1.0
  device 1 | .... F0.0 F0.1 B0.1 B0.1 F1.0 B0.0 B0.0 F1.1 B1.1 B1.1 B1.0 B1.0 .... ....

Equal slices: makespan 3N + 3(D-1)/S, bubble (D-1)/(SN+D-1), peak stash (D-1-d+S)/S.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    const int slices = slicesOf(request);
    Shape shape{devices, devices, request.microBatches, 1, slices, request.dataParallel};
    Schedule schedule = parts::emptySchedule(request.scheme, shape, parts::loopingDevice);
    const auto slice
        = [slices](int s) { return slices == 1 ? Op::kWhole : static_cast<std::uint16_t>(s); };
    for (int d = 0; d < devices; ++d) {
        parts::Program program(schedule, d);
        program.reserve(2 * request.microBatches * slices);
        parts::alternate(
            request.microBatches * slices, devices - 2 - d + slices,
            [&](int k) { program.forwardSlice(d, k / slices, slice(k % slices)); },
            [&](int k) { program.backwardSlice(d, k / slices, slice(slices - 1 - k % slices)); });
    }
    return schedule;
}

} // namespace

Scheme seqOneFOneB()
{
    return {.name = "seq1f1b",
            .title = "Seq1F1B",
            .summary = "1F1B over sequence slices",
            .citation = "Sun et al., Seq1F1B, arXiv 2406.03488, 2024",
            .details = kDetails,
            .family = "One direction",
            .bubbleFormula = "(D-1)/(SN+D-1) for S equal slices",
            .options = kOptions,
            .slices = slicesOf,
            .check = check,
            .build = build};
}

} // namespace engine
