#include "engine/plan/message_plan.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace engine {
namespace {

std::optional<Value> boundaryAmong(const Values& values, const Op& op, int besides)
{
    for (const Value& value : values) {
        if (value.kind == Value::Kind::Activation)
            return value;
        // Skips the gradients that sequence slices of one stage pass to each other, because they
        // are in the stashes.
        if (value.kind == Value::Kind::Gradient && value.stage.value == op.stage.value + besides
            && value.stage.value > 0)
            return value;
    }
    return std::nullopt;
}

// A message may reuse one of the kTries reservations that have been unused the longest.
constexpr std::size_t kTries = 64;

// The memory reserved for messages on one device. Each reservation holds one message at a time.
struct Pool
{
    std::vector<std::uint32_t> last; // [reservation]: last message
    std::vector<Bytes>& bytes;       // [reservation]
    std::deque<std::uint32_t> byAge; // reservations; the longest unused one comes first
};

class Planner
{
public:
    Planner(const Schedule& lowered, const HappensBefore& order)
        : m_lowered(lowered)
        , m_order(order)
    {
        m_plan.messageOf.assign(valueCount(lowered.shape), kNoIndex);
        m_plan.devices.resize(lowered.program.size());
        m_plan.first.resize(lowered.program.size());
    }

    void findMessages(const std::function<Bytes(const Value&)>& bytesOf)
    {
        for (const HappensBefore::Place place : m_order.order()) {
            const Op& op = m_lowered.on(place.device)[place.position];
            if (isTransfer(op.kind)) {
                PlannedMessage& own = messageOf(transferredValue(op, m_lowered.shape));
                const bool sends
                    = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
                (sends ? own.send : own.receive) = place.position;
                continue;
            }
            if (const auto input = boundaryInput(op, m_lowered.shape))
                messageOf(*input).user = place;
            if (const auto output = boundaryOutput(op, m_lowered.shape)) {
                m_plan.messageOf[valueIndex(*output, m_lowered.shape)] = m_plan.messages.size();
                PlannedMessage& made = m_plan.messages.emplace_back();
                made.value = *output;
                made.maker = place;
                made.bytes = bytesOf(*output);
            }
        }
    }

    // Reserves memory for messages in the order in which they are produced.
    void reserve()
    {
        IdVector<DeviceId, Pool> sources, slots;
        for (MessagePlan::Reservations& device : m_plan.devices) {
            sources.push_back({{}, device.sources, {}});
            slots.push_back({{}, device.slots, {}});
        }
        for (std::uint32_t i = 0; i < m_plan.messages.size(); ++i) {
            PlannedMessage& message = m_plan.messages[i];
            if (!message.isSent())
                continue;
            message.source = take(sources[message.maker.device], i).reservation;
            const auto [slot, before] = take(slots[message.user.device], i);
            message.slot = slot;
            if (before == kNoIndex)
                m_plan.first[message.user.device].push_back(i);
            else
                m_plan.messages[before].nextInSlot = i;
        }
    }

    MessagePlan take() { return std::move(m_plan); }

private:
    struct Taken
    {
        std::uint32_t reservation = 0, before = kNoIndex;
    };

    PlannedMessage& messageOf(const Value& value)
    {
        return m_plan.messages[m_plan.messageOf[valueIndex(value, m_lowered.shape)]];
    }

    // Reuses a reservation of the same size if the schedule orders its last use before the
    // production of this message; otherwise creates a reservation.
    Taken take(Pool& pool, std::uint32_t number)
    {
        const PlannedMessage& message = m_plan.messages[number];
        const std::ptrdiff_t tried = std::min(kTries, pool.byAge.size());
        const auto free
            = std::find_if(pool.byAge.begin(), pool.byAge.begin() + tried, [&](std::uint32_t i) {
                  return pool.bytes[i] == message.bytes
                      && m_order.isOrdered(m_plan.messages[pool.last[i]].user, message.maker);
              });
        if (free != pool.byAge.begin() + tried) {
            const std::uint32_t reservation = *free;
            pool.byAge.erase(free);
            pool.byAge.push_back(reservation);
            return {reservation, std::exchange(pool.last[reservation], number)};
        }
        pool.byAge.push_back(pool.last.size());
        pool.last.push_back(number);
        pool.bytes.push_back(message.bytes);
        return {pool.byAge.back(), kNoIndex};
    }

    const Schedule& m_lowered;
    const HappensBefore& m_order;
    MessagePlan m_plan;
};

} // namespace

std::optional<Value> boundaryInput(const Op& op, const Shape& shape)
{
    return boundaryAmong(consumes(op, shape), op, 1);
}

std::optional<Value> boundaryOutput(const Op& op, const Shape& shape)
{
    return boundaryAmong(produces(op, shape), op, 0);
}

MessagePlan planMessages(const Schedule& lowered, const HappensBefore& order,
                         const std::function<Bytes(const Value&)>& bytesOf)
{
    Planner planner(lowered, order);
    planner.findMessages(bytesOf);
    planner.reserve();
    return planner.take();
}

} // namespace engine
