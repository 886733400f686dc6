#include "engine/schedules/parts/program.h"
#include "engine/schedules/schemes.h"

#include <fmt/format.h>

namespace engine {
namespace {

Result<void> check(const ScheduleRequest& request)
{
    const int least = 2 * request.devices - 1;
    if (request.microBatches >= least)
        return {};
    return fail(Error::Code::InvalidArgument,
                fmt::format("zb-h2 needs at least 2D-1 = {} micro-batches on {} devices, "
                            "not {}; use {}, or use zb-h1",
                            least, request.devices, request.microBatches, least));
}

// The program of one device. Within each of the three kinds of op, micro-batches ascend.
class Device
{
public:
    Device(Schedule& schedule, int device)
        : m_program(schedule, device)
        , m_stage(device)
    {
        m_program.reserve(3 * schedule.shape.microBatches);
    }

    void forwards(int count)
    {
        for (int i = 0; i < count; ++i)
            m_program.forward(m_stage, m_forward++);
    }
    void inputs(int count)
    {
        for (int i = 0; i < count; ++i)
            m_program.backwardInput(m_stage, m_input++);
    }
    void weights(int count)
    {
        for (int i = 0; i < count; ++i)
            m_program.backwardWeight(m_stage, m_weight++);
    }
    void forwardInputs(int count)
    {
        for (int i = 0; i < count; ++i) {
            forwards(1);
            inputs(1);
        }
    }

private:
    parts::Program m_program;
    int m_stage = 0;
    int m_forward = 0, m_input = 0, m_weight = 0; // numbers of appended ops
};

constexpr std::string_view kDetails = R"(
The warm-up is filled with forwards, and no device idles between its first and its last op. The
bubble is zero if the next iteration may start before the last device has drained.

D = 2, N = 3; one column is one cost unit:

  device 0 | F0 F1 F2 I0 W0 I1 W1 I2 W2 ..
  device 1 | .. F0 I0 F1 I1 F2 I2 W0 W1 W2

Makespan 3N + (D-1), span 3N, peak stash 2D-1 on every device.
)";

Result<Schedule> build(const ScheduleRequest& request)
{
    const int devices = request.devices;
    Schedule schedule = parts::emptySchedule(request, parts::loopingDevice);
    for (int d = 0; d < devices; ++d) {
        Device device(schedule, d);
        device.forwards(2 * (devices - d) - 1);
        device.inputs(1);
        device.forwardInputs(d);
        for (int i = 2 * devices - 1; i < request.microBatches; ++i) {
            device.weights(1);
            device.forwardInputs(1);
        }
        device.forwardInputs(d);
        for (int i = 0; i < 2 * (devices - d) - 2; ++i) {
            device.weights(1);
            device.inputs(1);
        }
        device.weights(2 * d + 1);
    }
    return schedule;
}

} // namespace

Scheme zeroBubbleH2()
{
    return {.name = "zb-h2",
            .title = "ZB-H2",
            .summary = "split backward and twice the memory of 1F1B; no device idles between its "
                       "first and last op",
            .citation = "Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024",
            .details = kDetails,
            .family = "Zero bubble",
            .accepts = "D >= 1; N >= 2D-1; v = 1",
            .bubbleFormula = "(D-1)/(3N+D-1); 0 without fill and drain",
            .splitsBackward = true,
            .check = check,
            .build = build};
}

} // namespace engine
