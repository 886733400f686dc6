#include "engine/schedules/parts/v_units.h"

#include "engine/schedules/parts/program.h"

#include <algorithm>

namespace engine::parts {
namespace {

// An op of the unit that one device repeats.
struct Step
{
    int due = 0; // in forwards of a stage; of backwards: in backwards
    int replica = 0, stage = 0, entry = 0;
};

class Device
{
public:
    Device(Schedule& schedule, int device)
        : m_program(schedule, device)
        , m_devices(schedule.shape.devices)
    {
        const int stages = schedule.shape.stages;
        for (int replica = 0; replica < 2; ++replica)
            for (int stage = 0; stage < stages; ++stage) {
                if (schedule.device(replica, StageId{stage}).value != device)
                    continue;
                for (int j = 0; j < m_devices / 2; ++j) {
                    m_forwards.push_back({stage + 2 * j, replica, stage, j});
                    m_backwards.push_back({stages - 1 - stage + 2 * j, replica, stage, j});
                }
            }
        std::ranges::sort(m_forwards, {}, &Step::due);
        std::ranges::sort(m_backwards, {}, &Step::due);
        m_turns = m_devices / 2 - std::min(device, m_devices - 1 - device);
        m_warmUp = stages - m_turns;
    }

    void writeUnits(int units)
    {
        const int seam = m_warmUp - m_turns + 1;
        m_program.reserve(2 * (m_warmUp + m_turns) * units);
        forwards(m_warmUp);
        for (int unit = 1; unit < units; ++unit) {
            inTurn(m_turns);
            backwards(seam);
            inTurn(m_turns - 1);
            forwards(seam);
        }
        inTurn(m_turns);
        backwards(m_warmUp);
    }

private:
    // Which of all micro-batches the n-th op of its kind is of.
    int microBatch(const Step& step, std::size_t n) const
    {
        const int unit = static_cast<int>(n / m_forwards.size());
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
    void inTurn(int count)
    {
        for (int i = 0; i < count; ++i) {
            forwards(1);
            backwards(1);
        }
    }

    Program m_program;
    int m_devices = 0, m_warmUp = 0, m_turns = 0;
    std::vector<Step> m_forwards, m_backwards; // of one unit, in the order in which they are due
    std::size_t m_forward = 0, m_backward = 0; // written
};

} // namespace

void writeVUnits(Schedule& schedule, int units)
{
    for (int d = 0; d < schedule.shape.devices; ++d)
        Device(schedule, d).writeUnits(units);
}

} // namespace engine::parts
