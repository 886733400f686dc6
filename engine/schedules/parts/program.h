#pragma once

#include "engine/schedules/scheme.h"

namespace engine::parts {

DeviceId loopingDevice(int devices, int stage);
DeviceId vDevice(int devices, int stage);

using Placement = DeviceId (*)(int devices, int stage);

// A schedule of this shape with empty programs. Replica 1 mirrors replica 0: device d becomes
// D-1-d.
Schedule emptySchedule(std::string_view scheme, const Shape& shape, Placement placement);
// An empty schedule for a request of one direction, with its chunks per device.
Schedule emptySchedule(const ScheduleRequest& request, Placement placement);

// Appends ops to the program of one device.
class Program
{
public:
    Program(Schedule& schedule, int device)
        : m_ops(schedule.program[DeviceId{device}])
    { }

    void reserve(int ops) { m_ops.reserve(ops); }
    void forward(int stage, int microBatch, int replica = 0)
    {
        append(OpKind::Forward, stage, microBatch, replica);
    }
    void backward(int stage, int microBatch, int replica = 0)
    {
        append(OpKind::Backward, stage, microBatch, replica);
    }
    void backwardInput(int stage, int microBatch, int replica = 0)
    {
        append(OpKind::BackwardInput, stage, microBatch, replica);
    }
    void backwardWeight(int stage, int microBatch, int replica = 0)
    {
        append(OpKind::BackwardWeight, stage, microBatch, replica);
    }
    // Backward of half 0 or 1 of a micro-batch whose forward is not divided; requires two slices in
    // the shape.
    void backwardHalf(int stage, int microBatch, int half, int replica = 0)
    {
        append(OpKind::Backward, stage, microBatch, replica);
        m_ops.back().slice = half;
        m_ops.back().flags = OpFlag::Half;
    }
    void join() { m_ops.back().flags = OpFlag::JointWithNext; }
    // Appends an op for one slice of the sequence; Op::kWhole stands for the whole micro-batch.
    void forwardSlice(int stage, int microBatch, std::uint16_t slice)
    {
        append(OpKind::Forward, stage, microBatch, 0, slice);
    }
    void backwardSlice(int stage, int microBatch, std::uint16_t slice)
    {
        append(OpKind::Backward, stage, microBatch, 0, slice);
    }

private:
    void append(OpKind kind, int stage, int microBatch, int replica,
                std::uint16_t slice = Op::kWhole)
    {
        Op op;
        op.kind = kind;
        op.replica = replica;
        op.slice = slice;
        op.stage = StageId{stage};
        op.microBatch = MicroBatchId{microBatch};
        m_ops.push_back(op);
    }

    std::vector<Op>& m_ops;
};

} // namespace engine::parts
