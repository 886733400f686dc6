#include "engine/schedules/parts/dual_pipe.h"

namespace engine::parts {
namespace {

class Device
{
public:
    Device(Program& program, const std::array<DualPipePhase, 2>& phases)
        : m_program(program)
        , m_ways{Way{phases[0]}, Way{phases[1]}}
    { }

    void write(const DualPipePlace& place)
    {
        const int inwards = place.devices - place.depth - 1;
        const int outwards = place.depth + 1;
        for (int i = 0; i < 2 * inwards; ++i)
            forward(0);
        for (int i = 0; i < outwards; ++i) {
            forward(0);
            forward(1);
        }
        for (int i = 0; i < inwards; ++i) {
            backwardInput(1);
            weight();
            forward(1);
        }
        const int steady = place.microBatches - 2 * place.devices + outwards;
        for (int i = 0; i < steady; ++i) {
            forward(0);
            if (i > 0 || inwards > 0)
                m_program.join();
            backward(1);
            forwardAndBackward();
        }
        for (int i = 0; i < inwards; ++i) {
            backward(1);
            forwardAndBackward();
        }
        writeEnd(inwards, outwards);
    }

private:
    struct Way
    {
        DualPipePhase phase;
        int forwards = 0, backwards = 0; // numbers of appended ops
    };

    // Writes steps 6 to 8. Step 6 has 2 x outwards backwards. The second half of these backwards is
    // split into I and W, so that W ops remain for steps 7 and 8.
    void writeEnd(int inwards, int outwards)
    {
        for (int i = 0; i < 2 * outwards; ++i) {
            const int phase = i % 2 == 0 ? 1 : 0;
            if (i < outwards)
                backward(phase);
            else
                backwardInput(phase);
        }
        for (int i = 0; i < inwards; ++i) {
            weight();
            backwardInput(0);
        }
        for (int i = 0; i < outwards; ++i)
            weight();
    }

    void forward(std::size_t phase)
    {
        Way& way = m_ways[phase];
        m_program.forward(way.phase.stage, way.phase.firstMicroBatch + way.forwards++,
                          way.phase.replica);
    }
    void backward(std::size_t phase)
    {
        Way& way = m_ways[phase];
        m_program.backward(way.phase.stage, way.phase.firstMicroBatch + way.backwards++,
                           way.phase.replica);
    }
    void backwardInput(std::size_t phase)
    {
        Way& way = m_ways[phase];
        m_program.backwardInput(way.phase.stage, way.phase.firstMicroBatch + way.backwards,
                                way.phase.replica);
        m_postponed.push({phase, way.phase.firstMicroBatch + way.backwards++});
    }
    void weight()
    {
        const auto [phase, microBatch] = m_postponed.front();
        m_postponed.pop();
        const DualPipePhase& of = m_ways[phase].phase;
        m_program.backwardWeight(of.stage, microBatch, of.replica);
    }
    void forwardAndBackward()
    {
        forward(1);
        m_program.join();
        backward(0);
    }

    Program& m_program;
    std::array<Way, 2> m_ways;
    std::queue<std::pair<std::size_t, int>> m_postponed; // phase, micro-batch
};

} // namespace

void writeDualPipe(Program& program, const std::array<DualPipePhase, 2>& phases,
                   const DualPipePlace& place)
{
    Device(program, phases).write(place);
}

} // namespace engine::parts
