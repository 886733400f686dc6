#include "engine/schedules/parts/v_units.h"

#include "engine/base/check.h"
#include "engine/schedules/parts/due_order.h"
#include "engine/schedules/parts/program.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace engine::parts {
namespace {

// An op of the unit that a device repeats.
struct Step
{
    int replica = 0, stage = -1, entry = 0;
};

// Steps in their due slots, at most one per slot.
class Slots
{
public:
    explicit Slots(int count)
        : m_steps(count)
    { }

    void put(int slot, const Step& step) { m_steps[slot] = step; }
    std::vector<Step> inOrder() &&
    {
        std::erase_if(m_steps, [](const Step& step) { return step.stage < 0; });
        return std::move(m_steps);
    }

private:
    std::vector<Step> m_steps;
};

class Device
{
public:
    Device(Schedule& schedule, int device)
        : m_program(schedule, device)
        , m_devices(schedule.shape.devices)
    {
        const int stages = schedule.shape.stages;
        Slots forwards(stages + m_devices);
        Slots backwards(stages + m_devices);
        for (int replica = 0; replica < 2; ++replica)
            for (int chunk = 0; chunk < schedule.shape.chunks(); ++chunk) {
                const bool onTheWayThere = (chunk % 2 == 0) == (replica == 0);
                const int stage
                    = chunk * m_devices + (onTheWayThere ? device : m_devices - 1 - device);
                for (int j = 0; j < m_devices / 2; ++j) {
                    forwards.put(stage + 2 * j, {replica, stage, j});
                    backwards.put(stages - 1 - stage + 2 * j, {replica, stage, j});
                }
            }
        m_forwards.unit = std::move(forwards).inOrder();
        m_backwards.unit = std::move(backwards).inOrder();
        m_turns = m_devices / 2 - std::min(device, m_devices - 1 - device);
        m_warmUp = stages - m_turns;
    }

    void writeUnits(int units)
    {
        const int seam = m_warmUp - m_turns + 1;
        forwards(m_warmUp);
        for (int unit = 1; unit < units; ++unit) {
            alternate(m_turns);
            backwards(seam);
            alternate(m_turns - 1);
            forwards(seam);
        }
        alternate(m_turns);
        backwards(m_warmUp);
    }

private:
    struct Ops
    {
        std::vector<Step> unit; // steps of one unit, in due order
        std::size_t written = 0;
    };
    void write(Ops& ops, int count, void (Program::*append)(int stage, int microBatch, int replica))
    {
        for (int i = 0; i < count; ++i, ++ops.written) {
            const Step& step = ops.unit[ops.written % ops.unit.size()];
            const int unit = ops.written / ops.unit.size();
            (m_program.*append)(step.stage,
                                unit * m_devices + step.replica * m_devices / 2 + step.entry,
                                step.replica);
        }
    }
    void forwards(int count) { write(m_forwards, count, &Program::forward); }
    void backwards(int count) { write(m_backwards, count, &Program::backward); }
    void alternate(int count)
    {
        for (int i = 0; i < count; ++i) {
            forwards(1);
            backwards(1);
        }
    }

    Program m_program;
    int m_devices = 0, m_warmUp = 0, m_turns = 0;
    Ops m_forwards, m_backwards;
};

// Start times of a schedule of whole forwards and backwards. Every op starts as early as possible,
// messages are free, and a stage's forward takes one tick, its backward two.
class UnitStarts
{
public:
    // Requires a complete schedule without deadlock.
    explicit UnitStarts(const Schedule& schedule)
        : m_stages(schedule.shape.stages)
        , m_starts(2 * schedule.shape.stages
                   * static_cast<std::size_t>(schedule.shape.microBatches))
    {
        IdVector<DeviceId, std::size_t> next(schedule.program.size());
        IdVector<DeviceId, std::int64_t> free(schedule.program.size());
        for (std::size_t left = opCount(schedule), before = left + 1; left > 0;) {
            CHECK(left < std::exchange(before, left));
            for (const DeviceId d : next.ids()) {
                const std::vector<Op>& ops = schedule.program[d];
                for (; next[d] < ops.size() && place(ops[next[d]], free[d]); ++next[d])
                    --left;
            }
        }
    }

    std::int64_t of(bool forward, int stage, int microBatch) const
    {
        return *m_starts[at(forward, stage, microBatch)];
    }

private:
    std::size_t at(bool forward, int stage, int microBatch) const
    {
        return (std::size_t{2} * microBatch + (forward ? 0 : 1)) * m_stages + stage;
    }
    // Places an op of a device that is free from tick `free` on. Returns false if the op that
    // produces its input from another stage has not been placed.
    bool place(const Op& op, std::int64_t& free)
    {
        const bool forward = op.kind == OpKind::Forward;
        const int ticks = forward ? 1 : 2;
        const int from = op.stage.value + (forward ? -1 : 1);
        if (0 <= from && from < m_stages) {
            const auto input = m_starts[at(forward, from, op.microBatch.value)];
            if (!input)
                return false;
            free = std::max(free, *input + ticks);
        }
        m_starts[at(forward, op.stage.value, op.microBatch.value)] = free;
        free += ticks;
        return true;
    }

    int m_stages = 0;
    std::vector<std::optional<std::int64_t>> m_starts; // [micro-batch][forward, backward][stage]
};

} // namespace

void writeVUnits(Schedule& schedule, int units)
{
    for (int d = 0; d < schedule.shape.devices; ++d)
        Device(schedule, d).writeUnits(units);
}

int mostEarlyStash(const Shape& shape)
{
    return 3 * shape.stages / 2 + shape.chunks() - 2;
}

void writeEarlyUnits(Schedule& schedule)
{
    const int devices = schedule.shape.devices;
    if (schedule.shape.microBatches == devices) {
        writeVUnits(schedule, 1);
        return;
    }
    Schedule unit = emptySchedule(
        schedule.scheme,
        {devices, schedule.shape.stages, devices, 2, 1, schedule.shape.dataParallel}, vDevice);
    writeVUnits(unit, 1);
    const UnitStarts starts(unit);

    DueOrder order;
    for (int m = 0; m < schedule.shape.microBatches; ++m)
        order.replicaOf.push_back(m % devices < devices / 2 ? 0 : 1);
    order.due = [&](bool forward, int stage, int microBatch) {
        const int inUnit = microBatch % devices;
        const std::int64_t begin = std::int64_t{2} * schedule.shape.stages * (microBatch / devices);
        return begin + starts.of(forward, stage, inUnit);
    };
    order.mostStash = mostEarlyStash(schedule.shape);
    writeByDue(schedule, order);
}

} // namespace engine::parts
