#include "engine/base/try.h"
#include "engine/schedules/parts/due_order.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 1> kInjects{"D+2"};
constexpr std::array<std::string_view, 2> kCaps{"D", "0"};
constexpr SchemeOption kInject{"inject", "Micro-batches injected at the start", kInjects, 2};
constexpr SchemeOption kCap{
    "cap", "Maximum number of stashed micro-batches per device (0: unlimited)", kCaps, 0};
constexpr std::array kOptions{kInject, kCap};

constexpr std::string_view kDetails = R"(
Two pipelines in opposite directions as in Chimera, with K micro-batches injected at the start.
The authors' code and figure were not available, so this order is an approximation of our own. A
free device prefers a backward to a forward, then the older micro-batch, then the later stage. At
most K/2 micro-batches of a direction are unfinished at once; inject=K sets K (default: D+2). A
device that stashes `cap` micro-batches (default: D) starts no forward; if that blocks all devices,
the cap grows by one. The first half of the micro-batches goes down.

D = 4, N = 8; micro-batches 0 .. 3 go down, 4 .. 7 up (lower case); one column is one cost unit:

  device 0 | F0 F1 F2 f4 b4 b4 f5 b5 b5 B0 B0 F3 B1 B1 f6 b6 b6 f7 b7 b7 .. B2 B2 .. .. .. B3 B3

There is no closed form. For (D,N) = (4,8), (8,16), (8,32) the makespan is 29, 65, 123 with peak
stash D; that of Chimera is 30, 66, 126. With inject=14 and cap=0 it is 110 for (8,32), with peak
stash 12. Weights 2; 2N(D-1) messages.
)";

Result<void> check(const ScheduleRequest& request)
{
    TRY(parts::checkEvenDevices(request));
    return parts::checkUnits(request, {2, "the directions"});
}

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    Schedule schedule = parts::emptySchedule(request, parts::loopingDevice, 2);
    const int half = request.microBatches / 2;
    const int cap = parts::chosenNumber(request, kCap, devices);
    parts::DueOrder order;
    for (int m = 0; m < request.microBatches; ++m)
        order.replicaOf.push_back(m < half ? 0 : 1);
    order.due = [devices, half](bool forward, int stage, int microBatch) {
        const std::int64_t age = forward ? half + microBatch % half : microBatch % half;
        return age * devices + devices - 1 - stage;
    };
    order.mostStash = cap == 0 ? request.microBatches : cap;
    order.mostUnderWay = parts::chosenNumber(request, kInject, devices + 2) / 2;
    parts::writeByDue(schedule, order);
    return schedule;
}

} // namespace

Scheme mixpipe()
{
    return {.name = "mixpipe",
            .title = "MixPipe (approximate)",
            .summary = "approximation: two directions, K micro-batches injected at the start",
            .citation = "after Zhang et al., MixPipe, DAC 2023",
            .details = kDetails,
            .family = "Two directions",
            .accepts = "D >= 2, even; N even; v = 1",
            .options = kOptions,
            .check = check,
            .build = build};
}

} // namespace engine
