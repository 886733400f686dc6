#include "profiler/analysis/data_flow.h"

#include "engine/schedule/transfers.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {
template<class Visit>
void forEachOp(const Schedule& schedule, Visit visit)
{
    std::uint32_t number = 0;
    for (const auto& program : schedule.program)
        for (const Op& op : program)
            visit(number++, op);
}
} // namespace

std::span<const std::uint32_t> DataFlow::Groups::of(std::uint32_t key) const
{
    return std::span(ops).subspan(first[key], first[key + 1] - first[key]);
}

// A counting sort: counts the ops of each key, computes where each group starts, then places the
// ops.
template<class KeysOf>
DataFlow::Groups DataFlow::group(std::uint32_t keys, KeysOf keysOf) const
{
    Groups groups;
    groups.first.assign(keys + 1, 0);
    forEachOp(m_schedule, [&](std::uint32_t, const Op& op) {
        keysOf(op, [&](std::uint32_t key) { ++groups.first[key + 1]; });
    });
    for (std::uint32_t key = 0; key < keys; ++key)
        groups.first[key + 1] += groups.first[key];
    groups.ops.resize(groups.first[keys]);
    Table next(groups.first.begin(), groups.first.end() - 1);
    forEachOp(m_schedule, [&](std::uint32_t number, const Op& op) {
        keysOf(op, [&](std::uint32_t key) { groups.ops[next[key]++] = number; });
    });
    return groups;
}

DataFlow::DataFlow(const Schedule& schedule)
    : m_schedule(schedule)
    , m_index(schedule)
{
    const Shape& shape = schedule.shape;
    const std::uint32_t values = valueCount(shape);
    for (Table* table : {&m_send, &m_receive})
        table->assign(values, kNone);
    forEachOp(schedule, [this](std::uint32_t number, const Op& op) { noteTransfer(number, op); });
    if (holds(schedule, OpKind::Unshard)) {
        Table last(shape.rows(), kNone);
        forEachOp(schedule, [&](std::uint32_t, const Op& op) {
            std::uint32_t& gather = last[shape.row(op.replica, op.stage)];
            m_gathers.push_back(runsMicroBatch(op.kind) ? gather : kNone);
            if (op.kind == OpKind::Unshard)
                gather = static_cast<std::uint32_t>(m_gathers.size()) - 1;
        });
    }
    m_producers = group(values, [&shape](const Op& op, auto add) {
        if (!isTransfer(op.kind))
            for (const Value& value : produces(op, shape))
                add(valueIndex(value, shape));
    });
    m_consumers = group(values, [&shape](const Op& op, auto add) {
        if (!isTransfer(op.kind))
            for (const Value& value : consumes(op, shape))
                add(valueIndex(value, shape));
    });
    m_contributors = group(static_cast<std::uint32_t>(shape.stages), [](const Op& op, auto add) {
        if (finishesBackward(op.kind))
            add(static_cast<std::uint32_t>(op.stage.value));
    });
}

void DataFlow::noteTransfer(std::uint32_t number, const Op& op)
{
    const Shape& shape = m_schedule.shape;
    if (!isTransfer(op.kind))
        return;
    (isSend(op.kind) ? m_send : m_receive)[valueIndex(transferredValue(op, shape), shape)] = number;
}

std::optional<std::uint32_t> DataFlow::find(const Table& table, const Value& value) const
{
    const std::uint32_t number = table[valueIndex(value, m_schedule.shape)];
    return number == kNone ? std::nullopt : std::optional(number);
}

// If several ops produce the value, they are all on the consumer's device. The consumer uses the
// value of the last such op that precedes the consumer in the device's program.
std::optional<std::uint32_t> DataFlow::producer(const Value& value, std::uint32_t consumer) const
{
    const auto makers = m_producers.of(valueIndex(value, m_schedule.shape));
    if (makers.empty())
        return std::nullopt;
    const auto behind = std::ranges::lower_bound(makers, consumer);
    return makers.size() == 1 || behind == makers.begin() ? makers.front() : *(behind - 1);
}

std::optional<std::uint32_t> DataFlow::gatherOf(std::uint32_t op) const
{
    return m_gathers.empty() || m_gathers[op] == kNone ? std::nullopt
                                                       : std::optional(m_gathers[op]);
}

std::optional<std::uint32_t> DataFlow::send(const Value& value) const
{
    return find(m_send, value);
}

std::optional<std::uint32_t> DataFlow::receive(const Value& value, DeviceId device) const
{
    const auto number = find(m_receive, value);
    return number && deviceOf(*number) == device ? number : std::nullopt;
}

std::optional<std::uint32_t> DataFlow::receiveOf(std::uint32_t send) const
{
    return find(m_receive, transferredValue(op(send), m_schedule.shape));
}

std::span<const std::uint32_t> DataFlow::consumers(const Value& value) const
{
    return m_consumers.of(valueIndex(value, m_schedule.shape));
}

std::span<const std::uint32_t> DataFlow::contributors(StageId stage) const
{
    return m_contributors.of(static_cast<std::uint32_t>(stage.value));
}

} // namespace profiler
