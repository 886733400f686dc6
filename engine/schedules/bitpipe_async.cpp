#include "engine/schedules/parts/alternate.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/parts/v_units.h"
#include "engine/schedules/schemes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kBatches{"2D"};
constexpr SchemeOption kBatch{"batch", "Micro-batches per update, m", kBatches, 1};
constexpr std::array kOptions{kBatch};

int batchOf(const ScheduleRequest& request)
{
    return parts::chosenNumber(request, kBatch, 2 * request.devices);
}

// Checks that an update has at least two basic units. With one unit per update, forwards of the
// unit after the next would start before the update that they need.
Result<void> checkBatch(const ScheduleRequest& request)
{
    const int batch = batchOf(request), devices = request.devices;
    if (batch % devices == 0 && batch / devices >= 2)
        return {};
    const auto nearest = std::clamp<std::int64_t>((std::int64_t{batch} + devices / 2) / devices, 2,
                                                  std::numeric_limits<int>::max() / devices);
    return invalid("bitpipe-async keeps two weight versions, so an update needs two or more "
                   "whole basic units of {} micro-batches, not batch={}; the nearest is {}",
                   devices, batch, nearest * devices);
}

Result<void> check(const ScheduleRequest& request)
{
    for (auto possible :
         {parts::checkWholeVs(request), parts::checkEvenDevices(request),
          parts::checkUnits(request, {request.devices, "the devices"}), checkBatch(request)})
        if (!possible)
            return possible;
    return parts::checkNoDataParallel(request);
}

constexpr std::string_view kDetails = R"(
BitPipe without a flush, with the weight versions of PipeDream-2BW: our own combination. One update
has the gradients of m micro-batches, m = 2D, 3D, ...; batch k (micro-batches km .. km+m-1) runs
forward and backward with version max(0, k-1) of the weights. The two replicas of a stage are
data-parallel: they all-reduce the gradients of a batch after its last backward, and update before
the first backward of the next batch, so the all-reduce overlaps with compute.

Backwards of a device, D = 2, m = 4; AR is an all-reduce, and the number after a colon a version:

  device 0 | 3B0:0 2B1u:0 1B1u:0 0B0:0 3B2:0 AR3 2B3u:0 AR2 1B3u:0 AR1 0B2:0 AR0 OPT3:1 3B4:0 ..

Units are concatenated early (bitpipe with concat=early): the forwards of a unit fill the bubble of
the unit before it. N is the size of a window of micro-batches. Simulation and training continue
over all iterations without a flush. In the steady state there is no bubble, and an iteration takes
3N. Peak stash at v = 2: 5D/4 - 1/2. A device keeps two versions of the weights of both directions.
For D > 2 messages overtake each other, so NCCL cannot transfer them.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int batch = batchOf(request);
    Schedule schedule = parts::emptySchedule(request, parts::vDevice, 2);
    schedule.shape.updateEvery = batch;
    parts::writeEarlyUnits(schedule);
    for (auto& ops : schedule.program)
        for (Op& op : ops)
            op.version = std::max(0, op.microBatch.value / batch - 1);
    return schedule;
}

} // namespace

Scheme bitpipeAsync()
{
    return {.name = "bitpipe-async",
            .title = "BitPipe, asynchronous",
            .summary = "BitPipe without a flush, with two weight versions and an update every m "
                       "micro-batches",
            .citation = "our own: Wu, Chen and Yu, BitPipe, 2024, with the updates of Narayanan et "
                        "al., PipeDream-2BW, ICML 2021",
            .details = kDetails,
            .family = "Asynchronous",
            .accepts = "D >= 2, even; N a multiple of D; m >= 2D, a multiple of D; v even",
            .bubbleFormula = "0",
            .defaultChunks = 2,
            .chunksFixed = false,
            .asynchronous = true,
            .options = kOptions,
            .check = check,
            .build = build};
}

} // namespace engine
