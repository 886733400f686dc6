#pragma once

#include "engine/base/cancel.h"
#include "engine/schedules/scheme.h"

#include <limits>

namespace engine::parts {

DeviceId loopingDevice(int devices, int stage);
DeviceId vDevice(int devices, int stage);

using Placement = DeviceId (*)(int devices, int stage);

// A schedule of this shape with empty programs. Replica 1 mirrors replica 0: device d becomes
// D-1-d.
Schedule emptySchedule(std::string_view scheme, const Shape& shape, Placement placement);
// An empty schedule for a request, with its chunks per device in each of `directions`.
Schedule emptySchedule(const ScheduleRequest& request, Placement placement, int directions = 1);

// Appends ops to the program of one device.
class Program
{
public:
    Program(Schedule& schedule, int device)
        : m_ops(schedule.program[DeviceId{device}])
    { }

    void append(OpKind kind, int stage, int microBatch, int replica = 0,
                std::uint16_t slice = Op::kWhole)
    {
        m_ops.push_back(opOf(kind, StageId{stage}, replica, MicroBatchId{microBatch}, slice));
    }
    void forward(int stage, int microBatch, int replica = 0)
    {
        append(OpKind::Forward, stage, microBatch, replica);
    }
    void backward(int stage, int microBatch, int replica = 0)
    {
        append(OpKind::Backward, stage, microBatch, replica);
    }
    // Backward of half 0 or 1 of a micro-batch whose forward is not divided; requires two slices in
    // the shape.
    void backwardHalf(int stage, int microBatch, int half, int replica = 0)
    {
        append(OpKind::Backward, stage, microBatch, replica, static_cast<std::uint16_t>(half));
        m_ops.back().flags = OpFlag::Half;
    }
    void join() { m_ops.back().flags = OpFlag::JointWithNext; }

private:
    std::vector<Op>& m_ops;
};

// Appends the ops of one stage on its device. Those of each kind take the micro-batches from
// `first` on in ascending order; the ops of micro-batches from `end` on are left out.
class StageOps
{
public:
    StageOps(Program& program, int stage, int replica = 0, int first = 0,
             int end = std::numeric_limits<int>::max())
        : m_program(program)
        , m_stage(stage)
        , m_replica(replica)
        , m_end(end)
        , m_forwards(first)
        , m_backwards(first)
        , m_weights(first)
    { }
    void forward() { append(OpKind::Forward, m_forwards); }
    void backward()
    {
        append(OpKind::Backward, m_backwards);
        ++m_weights;
    }
    void input() { append(OpKind::BackwardInput, m_backwards); }
    void weight() { append(OpKind::BackwardWeight, m_weights); }
    // The next micro-batches.
    int forwards() const { return m_forwards; }
    int backwards() const { return m_backwards; }
    int weights() const { return m_weights; }

private:
    void append(OpKind kind, int& next)
    {
        if (const int microBatch = next++; microBatch < m_end)
            m_program.append(kind, m_stage, microBatch, m_replica);
    }

    Program& m_program;
    int m_stage = 0, m_replica = 0, m_end = 0, m_forwards = 0, m_backwards = 0, m_weights = 0;
};

void repeat(int count, const auto& step)
{
    for (int i = 0; i < count; ++i)
        step();
}

// An empty schedule for the request, in which write(program, device) has written the program of
// every device.
Schedule perDevice(const ScheduleRequest& request, Placement placement, int directions,
                   const auto& write)
{
    Schedule schedule = emptySchedule(request, placement, directions);
    for (int d = 0; d < request.devices; ++d) {
        throwIfCancelled();
        Program program(schedule, d);
        write(program, d);
    }
    return schedule;
}

} // namespace engine::parts
