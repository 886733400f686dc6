#include "engine/base/try.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <algorithm>
#include <array>

namespace engine {
namespace {

constexpr std::array<std::string_view, 3> kConcats{"direct", "doubling", "halving"};
constexpr SchemeOption kConcat{.key = "concat",
                               .title = "Concatenation",
                               .values = kConcats,
                               .smallest = {},
                               .help = "Concatenation of basic units"};
constexpr std::array kOptions{kConcat};

// The ops that an entry of the basic unit stands for. Direct: a forward and a backward of one
// micro-batch. Doubling: joint forwards and separate backwards of two micro-batches. Halving: a
// forward and two half backwards of one micro-batch.
enum class Concat : std::uint8_t { Direct, Doubling, Halving };

Concat concatOf(const ScheduleRequest& request)
{
    const auto found = std::ranges::find(kConcats, parts::chosen(request, kConcat));
    return static_cast<Concat>(found - kConcats.begin());
}

constexpr std::string_view kDetails = R"(
Two pipelines in opposite directions. A basic unit has D entries, half of them in each direction;
an entry is one micro-batch (two with concat=doubling). Entry j of a direction runs its forward at
stage s in time step 2j+s and its backward in time step 2j+2D-1-s of the 2D time steps of the basic
unit. For even D no two ops of a device are in the same time step.

D = 4, N = 4; micro-batches 0, 1 go down and 2, 3 up (lower case); one column is one cost unit:

  device 0 | F0 F1 .. f2 b2 b2 f3 b3 b3 .. B0 B0 .. .. B1 B1
  device 1 | .. F0 f2 F1 f3 .. b2 b2 B0 B0 b3 b3 B1 B1 .. ..
  device 2 | .. f2 F0 f3 F1 .. B0 B0 b2 b2 B1 B1 b3 b3 .. ..
  device 3 | f2 f3 .. F0 B0 B0 F1 B1 B1 .. b2 b2 .. .. b3 b3

Makespan 3N + (D-2)(N/D+1); peak stash from D/2+1 at the ends to D in the middle. The bubble
between basic units vanishes if forward and backward are equally long: with two micro-batches per
forward (concat=doubling, makespan 3N + 2(D-2), twice the stash) or a backward in two halves
(concat=halving, makespan 3N + (D-2)). The second backward of an entry is then D time steps after
the first, and a basic unit has 3D time steps.
)";

class Device
{
public:
    Device(Schedule& schedule, int device, Concat concat)
        : m_program(schedule, device)
        , m_devices(schedule.shape.devices)
        , m_device(device)
        , m_concat(concat)
    { }

    void writeUnits(int units)
    {
        std::vector<Slot> slots; // slots of all units, because units overlap in time
        for (int unit = 0; unit < units; ++unit)
            addUnit(slots, unit);
        std::ranges::sort(slots, {}, &Slot::time);
        for (const Slot& slot : slots)
            write(slot);
    }

private:
    enum class What : std::uint8_t { Forward, FirstBackward, SecondBackward };
    struct Slot
    {
        std::int64_t time = 0;
        int replica = 0, entry = 0;
        What what = What::Forward;
    };

    int stage(int replica) const { return replica == 0 ? m_device : m_devices - 1 - m_device; }

    void addUnit(std::vector<Slot>& slots, int unit) const
    {
        const bool twice = m_concat != Concat::Direct;
        const std::int64_t begin = std::int64_t{twice ? 3 : 2} * m_devices * unit;
        for (int replica = 0; replica < 2; ++replica)
            for (int j = 0; j < m_devices / 2; ++j) {
                const int entry = unit * m_devices + replica * m_devices / 2 + j;
                const std::int64_t forward = begin + std::int64_t{2} * j + stage(replica);
                const std::int64_t backward
                    = begin + std::int64_t{2} * (j + m_devices) - 1 - stage(replica);
                slots.push_back({forward, replica, entry, What::Forward});
                slots.push_back({backward, replica, entry, What::FirstBackward});
                if (twice)
                    slots.push_back({backward + m_devices, replica, entry, What::SecondBackward});
            }
    }

    void write(const Slot& slot)
    {
        const int s = stage(slot.replica);
        const int second = slot.what == What::SecondBackward ? 1 : 0;
        if (m_concat == Concat::Doubling && slot.what == What::Forward) {
            m_program.forward(s, 2 * slot.entry, slot.replica);
            m_program.join();
            m_program.forward(s, 2 * slot.entry + 1, slot.replica);
        } else if (slot.what == What::Forward) {
            m_program.forward(s, slot.entry, slot.replica);
        } else if (m_concat == Concat::Halving) {
            m_program.backwardHalf(s, slot.entry, second, slot.replica);
        } else {
            const int microBatch
                = m_concat == Concat::Doubling ? 2 * slot.entry + second : slot.entry;
            m_program.backward(s, microBatch, slot.replica);
        }
    }

    parts::Program m_program;
    int m_devices = 0, m_device = 0;
    Concat m_concat = Concat::Direct;
};

parts::Unit unitOf(const ScheduleRequest& request)
{
    if (concatOf(request) == Concat::Doubling)
        return {2 * request.devices, "twice the devices"};
    return {request.devices, "the devices"};
}

Result<void> check(const ScheduleRequest& request)
{
    TRY(parts::checkEvenDevices(request));
    return parts::checkUnits(request, unitOf(request));
}

Result<Schedule> build(const ScheduleRequest& request)
{
    const Concat concat = concatOf(request);
    Schedule schedule = parts::emptySchedule(request, parts::loopingDevice, 2);
    schedule.shape.slices = concat == Concat::Halving ? 2 : 1;
    for (int d = 0; d < request.devices; ++d)
        Device(schedule, d, concat).writeUnits(request.microBatches / unitOf(request).microBatches);
    return schedule;
}

} // namespace

Scheme chimera()
{
    return {.name = "chimera",
            .title = "Chimera",
            .summary = "two pipelines in opposite directions",
            .citation = "Li and Hoefler, Chimera, SC 2021",
            .details = kDetails,
            .family = "Two directions",
            .accepts = "D >= 2, even; N a multiple of D (doubling: of 2D); v = 1",
            .bubbleFormula = "(D-2)(N/D+1)/(3N+(D-2)(N/D+1))",
            .options = kOptions,
            .check = check,
            .build = build};
}

} // namespace engine
