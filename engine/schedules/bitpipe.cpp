#include "engine/base/try.h"
#include "engine/schedules/parts/due_order.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/parts/v_units.h"
#include "engine/schedules/schemes.h"

#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 2> kPlacements{"v", "looping"};
constexpr std::array<std::string_view, 2> kDirectionCounts{"2", "1"};
constexpr std::array<std::string_view, 3> kConcats{"direct", "early", "alternate"};
constexpr SchemeOption kPlacement{"placement", "Placement of stages", kPlacements, {}};
constexpr SchemeOption kDirections{"directions", "Directions", kDirectionCounts, {}};
constexpr SchemeOption kConcat{.key = "concat",
                               .title = "Concatenation",
                               .values = kConcats,
                               .smallest = {},
                               .help = "Concatenation of basic units of D micro-batches; "
                                       "alternate: no units"};
constexpr std::array kOptions{kPlacement, kDirections, kConcat};

// The features of BitPipe, each of which can be disabled.
struct Parts
{
    explicit Parts(const ScheduleRequest& request)
        : looping(parts::chosen(request, kPlacement) == "looping")
        , directions(parts::chosen(request, kDirections) == "2" ? 2 : 1)
        , alternate(parts::chosen(request, kConcat) == "alternate")
        , early(parts::chosen(request, kConcat) == "early" || alternate)
    { }

    bool bothPublished() const { return !looping && directions == 2; }

    bool looping = false;
    int directions = 2;
    bool alternate = false; // no basic units, so every placement has the same order
    bool early = false;
};

constexpr std::string_view kDetails = R"(
Each direction is a V of 2D stages: the down direction visits devices 0 .. D-1 and returns; the up
direction is its mirror image. A device holds four chunks, two of each direction. A basic unit is D
consecutive micro-batches; the first half of each basic unit goes down, the second half up.

D = 4, N = 4; micro-batches 0, 1 go down and 2, 3 up; upper case: second chunk; one column is half
a cost unit:

  device 0 | f0 f1 .. f2 F2 f3 F3 F0 B0 B0 F1 B1 B1 .. B2 B2 b2 b2 B3 B3 b3 b3 b0 b0 .. .. b1 b1
  device 1 | .. f0 f2 f1 f3 F2 F0 F3 F1 .. B0 B0 B2 B2 B1 B1 B3 B3 b2 b2 b0 b0 b3 b3 b1 b1 .. ..
  device 2 | .. f2 f0 f3 f1 F0 F2 F1 F3 .. B2 B2 B0 B0 B3 B3 B1 B1 b0 b0 b2 b2 b1 b1 b3 b3 .. ..
  device 3 | f2 f3 .. f0 F0 f1 F1 F2 B2 B2 F3 B3 B3 .. B0 B0 b0 b0 B1 B1 b1 b1 b2 b2 .. .. b3 b3

v = 4, 6, ... is our extension: a direction of vD stages is v/2 consecutive Vs. Chunk c of device
d is stage cD+d for even c and cD+D-1-d for odd c, so every turn stays on its device; the up
direction is the mirror image. The authors' order within a basic unit is unchanged.

Direct concatenation, N = KD: makespan 3N + (D-2)(K+1)/v. For v = 2 and N = D the bubble is that of
the paper, (D-2)/(3N+D-2). Peak stash ((v-1/2)D+1+min(d,D-1-d))/v, for v = 2 from (3D+2)/4 at the
ends to D in the middle. Weights 2; 4N(D-1)v/2 messages, 2N(v-1) local copies.

Unpublished variants use our own order: a device runs the op that is due first and holds at most
3D/2 + 1 - 2/v micro-batches. These are concat=early, concat=alternate, and concat=direct with
placement=looping or directions=1. alternate has no basic units: micro-batches alternate down and
up, by the same rule in every placement. Looping, one direction and N that is no multiple of D have
only this order, so there early is alternate. The makespan of both is never longer than that of 1F1B
and, in two directions with N >= D, at most 3N + 1.5(D-1) + 1. If N is a multiple of D, that of
early is at most 3N + 2(D-2)/v, which for N > D is shorter than with direct concatenation.
)";

// The due times of a micro-batch in ticks. A tick is the duration of a stage's forward. At stage s
// the forward is due at `forward` + s, the backward at `backward` + S + 2(S-1-s).
struct Entry
{
    int replica = 0;
    std::int64_t forward = 0, backward = 0;
};

// The entry of a micro-batch in an order without basic units. Micro-batches alternate between the
// directions. In two directions a pair of micro-batches is due every 4 ticks; in one direction a
// micro-batch is due every 2 ticks.
Entry alternate(int directions, int microBatch)
{
    const std::int64_t due = std::int64_t{2} * directions * (microBatch / directions);
    return {microBatch % directions, due, due};
}

// The entry of a micro-batch in consecutive basic units. They start 3vD ticks apart, the time that
// a device needs for one unit.
Entry backToBack(const Shape& shape, int microBatch)
{
    Entry entry = alternate(shape.replicas, microBatch % shape.devices);
    const std::int64_t begin = std::int64_t{3} * shape.stages * (microBatch / shape.devices);
    entry.forward += begin;
    entry.backward += begin;
    return entry;
}

void writeEntries(Schedule& schedule, const std::vector<Entry>& entries)
{
    const int stages = schedule.shape.stages;
    parts::DueOrder order;
    for (const Entry& entry : entries)
        order.replicaOf.push_back(entry.replica);
    order.due = [&entries, stages](bool forward, int stage, int microBatch) {
        const Entry& entry = entries[microBatch];
        return forward ? entry.forward + stage
                       : entry.backward + stages + 2 * (std::int64_t{stages} - 1 - stage);
    };
    order.mostStash = parts::mostEarlyStash(schedule.shape);
    parts::writeByDue(schedule, order);
}

void write(Schedule& schedule, const Parts& wanted)
{
    const Shape& shape = schedule.shape;
    const bool whole = shape.devices % 2 == 0 && shape.microBatches % shape.devices == 0;
    if (wanted.bothPublished() && whole && !wanted.alternate) {
        if (wanted.early)
            parts::writeEarlyUnits(schedule);
        else
            parts::writeVUnits(schedule, shape.microBatches / shape.devices);
        return;
    }
    std::vector<Entry> entries;
    entries.reserve(shape.microBatches);
    for (int m = 0; m < shape.microBatches; ++m)
        entries.push_back(wanted.early ? alternate(shape.replicas, m) : backToBack(shape, m));
    writeEntries(schedule, entries);
}

Result<void> check(const ScheduleRequest& request)
{
    if (auto whole = parts::checkWholeVs(request); !whole)
        return whole;
    const Parts wanted(request);
    if (wanted.early)
        return {};
    constexpr std::string_view kOrEarly = "; --set concat=early accepts any number";
    if (wanted.directions == 2)
        TRY(withAdvice(parts::checkEvenDevices(request), kOrEarly));
    return withAdvice(parts::checkUnits(request, {request.devices, "the devices"}), kOrEarly);
}

Result<Schedule> build(const ScheduleRequest& request)
{
    const Parts wanted(request);
    Schedule schedule = parts::emptySchedule(
        request, wanted.looping ? parts::loopingDevice : parts::vDevice, wanted.directions);
    write(schedule, wanted);
    return schedule;
}

} // namespace

Scheme bitpipe()
{
    return {.name = "bitpipe",
            .title = "BitPipe",
            .summary = "two directions of V-shaped interleaved pipelines; early, looping and "
                       "one-direction variants",
            .citation = "Wu, Chen and Yu, BitPipe, arXiv 2410.19367, 2024",
            .details = kDetails,
            .family = "Two directions",
            .accepts
            = "D >= 2, even (concat=early: any); N a multiple of D (concat=early: any); v even",
            .bubbleFormula = "(D-2)(N/D+1)/(3vN+(D-2)(N/D+1))",
            .defaultChunks = 2,
            .chunksFixed = false,
            .options = kOptions,
            .check = check,
            .build = build};
}

} // namespace engine
