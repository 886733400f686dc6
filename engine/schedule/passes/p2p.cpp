#include "engine/base/cancel.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/passes/passes.h"
#include "engine/schedule/transfers.h"

#include <algorithm>

namespace engine {
namespace {

// Rewrites the program of one device with the transfers of its compute ops.
class Writer
{
public:
    Writer(const Schedule& schedule, DeviceId device, std::vector<Op>& out)
        : m_schedule(schedule)
        , m_device(device)
        , m_out(out)
    { }

    // Joint ops start and end together: receives come before the group, sends after it.
    void write(std::span<const Op> group)
    {
        for (const Op& op : group)
            for (const Value& value : consumes(op, m_schedule.shape))
                receive(value, op);
        m_out.insert(m_out.end(), group.begin(), group.end());
        for (const Op& op : group)
            for (const Value& value : produces(op, m_schedule.shape))
                send(value);
    }

private:
    void receive(const Value& value, const Op& consumer)
    {
        const DeviceId from = m_schedule.device(value.replica, value.stage);
        if (from == m_device)
            return;
        append(receiveOf(value.kind), value, consumer.stage, from);
    }
    void send(const Value& value)
    {
        const auto stage = receivingStage(value, m_schedule.shape);
        if (!stage)
            return;
        const DeviceId to = m_schedule.device(value.replica, *stage);
        if (to == m_device)
            return;
        append(sendOf(value.kind), value, value.stage, to);
    }
    void append(OpKind kind, const Value& value, StageId stage, DeviceId peer)
    {
        m_out.push_back(opOf(kind, stage, value.replica, value.microBatch, value.slice));
        m_out.back().peer = peer.value;
    }

    const Schedule& m_schedule;
    DeviceId m_device;
    std::vector<Op>& m_out;
};

} // namespace

Schedule addP2P(const Schedule& schedule)
{
    if (hasTransfers(schedule))
        return schedule;
    Schedule lowered{schedule.scheme, schedule.shape, schedule.deviceOf, {}};
    lowered.program.resize(schedule.program.size());
    for (const DeviceId d : schedule.program.ids()) {
        throwIfCancelled();
        lowered.program[d].reserve(3 * schedule.program[d].size());
        Writer writer(schedule, d, lowered.program[d]);
        std::span<const Op> ops(schedule.program[d]);
        while (!ops.empty()) {
            const std::size_t size = jointEnd(ops, 0);
            writer.write(ops.first(size));
            ops = ops.subspan(size);
        }
    }
    return lowered;
}

IdVector<DeviceId, int> localCopies(const Schedule& schedule)
{
    IdVector<DeviceId, int> copies;
    for (const DeviceId d : schedule.program.ids()) {
        int count = 0;
        for (const Op& op : schedule.program[d])
            for (const Value& value : consumes(op, schedule.shape))
                if (value.stage != op.stage && schedule.device(value.replica, value.stage) == d)
                    ++count;
        copies.push_back(count);
    }
    return copies;
}

IdVector<DeviceId, int> messagesSent(const Schedule& schedule)
{
    IdVector<DeviceId, int> messages;
    for (const auto& ops : schedule.program)
        messages.push_back(
            std::ranges::count_if(ops, [](const Op& op) { return isSend(op.kind); }));
    return messages;
}

} // namespace engine
