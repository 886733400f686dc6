#include "engine/schedules/parts/v_units.h"

#include "engine/base/check.h"
#include "engine/schedules/parts/due_order.h"
#include "engine/schedules/parts/program.h"

#include <algorithm>
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
        m_forwards = std::move(forwards).inOrder();
        m_backwards = std::move(backwards).inOrder();
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
    // The micro-batch of `step`, which belongs to the n-th forward or the n-th backward of the
    // device.
    int microBatch(const Step& step, std::size_t n) const
    {
        const int unit = n / m_forwards.size();
        return unit * m_devices + step.replica * m_devices / 2 + step.entry;
    }
    void forwards(int count)
    {
        for (int i = 0; i < count; ++i, ++m_forward) {
            const Step& step = m_forwards[m_forward % m_forwards.size()];
            m_program.forward(step.stage, microBatch(step, m_forward), step.replica);
        }
    }
    void backwards(int count)
    {
        for (int i = 0; i < count; ++i, ++m_backward) {
            const Step& step = m_backwards[m_backward % m_backwards.size()];
            m_program.backward(step.stage, microBatch(step, m_backward), step.replica);
        }
    }
    void alternate(int count)
    {
        for (int i = 0; i < count; ++i) {
            forwards(1);
            backwards(1);
        }
    }

    Program m_program;
    int m_devices = 0, m_warmUp = 0, m_turns = 0;
    std::vector<Step> m_forwards, m_backwards; // steps of one unit, in due order
    std::size_t m_forward = 0, m_backward = 0; // numbers of appended ops
};

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kForward = 1, kBackward = 2; // ticks

// Start times of a schedule of whole forwards and backwards. Every op starts as early as possible,
// messages are free, and a stage's forward takes one tick, its backward two.
class UnitStarts
{
public:
    // Requires a complete schedule without deadlock.
    explicit UnitStarts(const Schedule& schedule)
        : m_stages(schedule.shape.stages)
        , m_forward(schedule.shape.stages * static_cast<std::size_t>(schedule.shape.microBatches),
                    kUnknown)
        , m_backward(m_forward)
    {
        IdVector<DeviceId, std::size_t> next(schedule.program.size());
        IdVector<DeviceId, std::int64_t> free(schedule.program.size());
        std::size_t left = opCount(schedule);
        while (left > 0) {
            const std::size_t before = left;
            for (const DeviceId d : next.ids()) {
                const std::size_t done = run(schedule.program[d], next[d], free[d]);
                next[d] += done;
                left -= done;
            }
            CHECK(left < before);
        }
    }

    std::int64_t forward(int stage, int microBatch) const
    {
        return m_forward[at(stage, microBatch)];
    }
    std::int64_t backward(int stage, int microBatch) const
    {
        return m_backward[at(stage, microBatch)];
    }

private:
    std::size_t at(int stage, int microBatch) const
    {
        return static_cast<std::size_t>(microBatch) * m_stages + stage;
    }
    // When the op's input from another stage is complete. kUnknown: the op that produces it has not
    // been placed. 0: there is no such input.
    std::int64_t inputOf(const Op& op) const
    {
        const int stage = op.stage.value;
        if (op.kind == OpKind::Forward) {
            if (stage == 0)
                return 0;
            const std::int64_t start = forward(stage - 1, op.microBatch.value);
            return start == kUnknown ? kUnknown : start + kForward;
        }
        if (stage == m_stages - 1)
            return 0;
        const std::int64_t start = backward(stage + 1, op.microBatch.value);
        return start == kUnknown ? kUnknown : start + kBackward;
    }
    // Places the ops of one device from `next` up to the first one whose input is unknown. Returns
    // the number of placed ops.
    std::size_t run(const std::vector<Op>& ops, std::size_t next, std::int64_t& free)
    {
        std::size_t done = 0;
        for (; next + done < ops.size(); ++done) {
            const Op& op = ops[next + done];
            const std::int64_t input = inputOf(op);
            if (input == kUnknown)
                break;
            const bool isForward = op.kind == OpKind::Forward;
            const std::int64_t start = std::max(free, input);
            (isForward ? m_forward : m_backward)[at(op.stage.value, op.microBatch.value)] = start;
            free = start + (isForward ? kForward : kBackward);
        }
        return done;
    }

    int m_stages = 0;
    std::vector<std::int64_t> m_forward, m_backward; // [micro-batch][stage], -1: unknown
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
        return begin + (forward ? starts.forward(stage, inUnit) : starts.backward(stage, inUnit));
    };
    order.mostStash = mostEarlyStash(schedule.shape);
    writeByDue(schedule, order);
}

} // namespace engine::parts
