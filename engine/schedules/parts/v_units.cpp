#include "engine/schedules/parts/v_units.h"

#include "engine/schedules/parts/program.h"

#include <algorithm>

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
        m_program.reserve(2 * (m_warmUp + m_turns) * units);
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

} // namespace

void writeVUnits(Schedule& schedule, int units)
{
    for (int d = 0; d < schedule.shape.devices; ++d)
        Device(schedule, d).writeUnits(units);
}

} // namespace engine::parts
