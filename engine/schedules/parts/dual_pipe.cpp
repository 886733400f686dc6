#include "engine/schedules/parts/dual_pipe.h"

namespace engine::parts {
namespace {

class Device
{
public:
    Device(Program& program, const std::array<DualPipePhase, 2>& phases)
        : m_program(program)
        , m_ways{opsOf(phases[0]), opsOf(phases[1])}
    { }

    void write(const DualPipePlace& place)
    {
        const int inwards = place.devices - place.depth - 1;
        const int outwards = place.depth + 1;
        repeat(2 * inwards, [&] { m_ways[0].forward(); });
        repeat(outwards, [&] {
            m_ways[0].forward();
            m_ways[1].forward();
        });
        repeat(inwards, [&] {
            input(1);
            weight();
            m_ways[1].forward();
        });
        const int steady = place.microBatches - 2 * place.devices + outwards;
        for (int i = 0; i < steady; ++i) {
            m_ways[0].forward();
            if (i > 0 || inwards > 0)
                m_program.join();
            m_ways[1].backward();
            forwardAndBackward();
        }
        repeat(inwards, [&] {
            m_ways[1].backward();
            forwardAndBackward();
        });
        writeEnd(inwards, outwards);
    }

private:
    StageOps opsOf(const DualPipePhase& phase) const
    {
        return {m_program, phase.stage, phase.replica, phase.firstMicroBatch};
    }
    // Writes steps 6 to 8. Step 6 has 2 x outwards backwards. The second half of these backwards is
    // split into I and W, so that W ops remain for steps 7 and 8.
    void writeEnd(int inwards, int outwards)
    {
        for (int i = 0; i < 2 * outwards; ++i) {
            const std::size_t phase = i % 2 == 0 ? 1 : 0;
            if (i < outwards)
                m_ways[phase].backward();
            else
                input(phase);
        }
        repeat(inwards, [&] {
            weight();
            input(0);
        });
        repeat(outwards, [&] { weight(); });
    }
    void input(std::size_t phase)
    {
        m_ways[phase].input();
        m_postponed.push(phase);
    }
    void weight()
    {
        m_ways[m_postponed.front()].weight();
        m_postponed.pop();
    }
    void forwardAndBackward()
    {
        m_ways[1].forward();
        m_program.join();
        m_ways[0].backward();
    }

    Program& m_program;
    std::array<StageOps, 2> m_ways;
    std::queue<std::size_t> m_postponed; // the phases of the postponed W
};

} // namespace

void writeDualPipe(Program& program, const std::array<DualPipePhase, 2>& phases,
                   const DualPipePlace& place)
{
    Device(program, phases).write(place);
}

} // namespace engine::parts
