#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

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
    return invalid("seq1f1b supports fewer than {} slices per micro-batch, not {}", Op::kWhole,
                   slicesOf(request));
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
    const int slices = slicesOf(request);
    const auto append = [slices](parts::Program& program, OpKind kind, int stage, int k) {
        const int s = kind == OpKind::Forward ? k % slices : slices - 1 - k % slices;
        program.append(kind, stage, k / slices, 0,
                       slices == 1 ? Op::kWhole : static_cast<std::uint16_t>(s));
    };
    Schedule schedule
        = parts::perDevice(request, parts::loopingDevice, 1, [&](parts::Program& program, int d) {
              parts::alternate(
                  request.microBatches * slices, request.devices - 2 - d + slices,
                  [&](int k) { append(program, OpKind::Forward, d, k); },
                  [&](int k) { append(program, OpKind::Backward, d, k); });
          });
    schedule.shape.slices = slices;
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
