#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <algorithm>

namespace engine {
namespace {

// The program of one device. The device has two chunks, on the forward path (0) and the return path
// (1). Each chunk executes the ops of each kind in the order of the micro-batches. The rule needs
// at least 2D-1 micro-batches; those beyond N are not appended.
class Device
{
public:
    Device(Schedule& schedule, int device)
        : m_program(schedule, device)
        , m_devices(schedule.shape.devices)
        , m_device(device)
        , m_written(schedule.shape.microBatches)
        , m_planned(std::max(m_written, 2 * m_devices - 1))
    {
        m_program.reserve(6 * m_written);
    }

    void write()
    {
        const int last = m_devices - m_device; // devices up to the turning point
        for (int i = 0; i < 2 * last - 1; ++i)
            forward(0);
        for (int i = 0; i < m_device; ++i) {
            forward(1);
            forward(0);
        }
        for (int i = 0; i < last; ++i)
            back();
        while (m_chunks[1].forwards < m_planned) {
            if (m_chunks[0].forwards < m_planned)
                forward(0);
            input(0);
            weight(0);
            back();
        }
        for (int i = 0; i < m_device; ++i) {
            input(0);
            input(1);
        }
        for (int i = 0; i < last; ++i) {
            input(0);
            weight(0);
        }
        for (const int chunk : {1, 0})
            while (m_chunks[chunk].weights < m_planned)
                weight(chunk);
    }

private:
    struct Chunk
    {
        int forwards = 0, inputs = 0, weights = 0; // numbers of micro-batches
    };

    int stage(int chunk) const { return chunk == 0 ? m_device : 2 * m_devices - 1 - m_device; }
    void forward(int chunk)
    {
        if (const int m = m_chunks[chunk].forwards++; m < m_written)
            m_program.forward(stage(chunk), m);
    }
    void input(int chunk)
    {
        if (const int m = m_chunks[chunk].inputs++; m < m_written)
            m_program.backwardInput(stage(chunk), m);
    }
    void weight(int chunk)
    {
        if (const int m = m_chunks[chunk].weights++; m < m_written)
            m_program.backwardWeight(stage(chunk), m);
    }
    // Appends the ops of the next micro-batch on the return path.
    void back()
    {
        forward(1);
        input(1);
        weight(1);
    }

    parts::Program m_program;
    int m_devices = 0, m_device = 0;
    int m_written = 0, m_planned = 0; // numbers of micro-batches
    Chunk m_chunks[2];
};

constexpr std::string_view kDetails = R"(
The placement is V-shaped, so the first device holds the first and the last stage; the backward is
split. No device idles between its first and last op, and the memory is that of 1F1B.

D = 2, N = 3, v = 2; upper case: second chunk; one column is half a cost unit:

  device 0 | f0 f1 f2 F0 I0 W0 F1 I1 W1 i0 w0 F2 I2 W2 i1 w1 i2 w2 ..
  device 1 | .. f0 F0 f1 F1 I0 W0 f2 i0 w0 F2 I1 W1 i1 I2 i2 w1 W2 w2

N >= 2D-1: makespan 3N + (D-1)/2, span 3N, peak stash D on every device; zero bubble only if
F = I = W.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    Schedule schedule = parts::emptySchedule(request, parts::vDevice);
    for (int d = 0; d < request.devices; ++d)
        Device(schedule, d).write();
    return schedule;
}

} // namespace

Scheme zeroBubbleV()
{
    return {.name = "zb-v",
            .title = "ZB-V",
            .summary = "split backward in a V-shaped placement",
            .citation = "Qi et al., Pipeline Parallelism with Controllable Memory, NeurIPS 2024; "
                        "PyTorch, ScheduleZBVZeroBubble",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 1; v = 2",
            .bubbleFormula = "(D-1)/(6N+D-1) for N >= 2D-1; 0 without fill and drain",
            .defaultChunks = 2,
            .splitsBackward = true,
            .build = build};
}

} // namespace engine
