#include "engine/plan/plan_memory_log.h"

namespace engine {
namespace {

using At = MemoryChange::At;
class Log
{
public:
    explicit Log(const PlanParts& parts)
        : m_parts(parts)
        , m_index(parts.lowered)
    { }

    void add(HappensBefore::Place place, At at, MemoryCategory category, Bytes bytes)
    {
        addOn(place.device, place, at, category, bytes);
    }
    // Records a change on `device` at the start or end of an op of another device.
    void addOn(DeviceId device, HappensBefore::Place place, At at, MemoryCategory category,
               Bytes bytes)
    {
        if (bytes != 0)
            m_log.push_back(
                {m_index.of(place.device, place.position), at, device, category, bytes});
    }

    void message(const PlannedMessage& message)
    {
        if (!message.isSent())
            return; // the tensor stays on the device; buffer() logs it
        const auto category = MemoryCategory::Buffers;
        add(message.maker, At::Begin, category, message.bytes);
        add({message.maker.device, message.send}, At::End, category, -message.bytes);
        add({message.user.device, message.receive}, At::Begin, category, message.bytes);
        add(message.user, At::End, category, -message.bytes);
    }

    void buffer(DeviceId device, const PlannedBuffer& buffer)
    {
        const BufferLife& life = buffer.life;
        const auto change = [&](std::uint32_t position, At at, Bytes bytes) {
            add({device, position}, at, buffer.category, bytes);
        };
        change(life.begin, At::Begin, life.bytes);
        if (buffer.evictedBy != kNoIndex) {
            change(buffer.evictedBy, At::End, -life.bytes);
        } else if (life.shrinks < life.end) {
            change(life.shrinks, At::End, life.rest - life.bytes);
            change(life.end, At::End, -life.rest);
        } else {
            change(life.end, At::End, -life.bytes);
        }
    }

    void guests(DeviceId device, const StashPlan& stash)
    {
        const DeviceId partner = stashPartner(device, m_parts.lowered.shape);
        for (std::uint32_t i = 0; i < stash.of.size(); ++i) {
            if (stash.of[i].guest == kNoIndex)
                continue;
            const bool evicts = m_parts.lowered.on(device)[i].kind == OpKind::Evict;
            const Bytes bytes = stash.guests[stash.of[i].guest];
            addOn(partner, {device, i}, evicts ? At::Begin : At::End, MemoryCategory::Stash,
                  evicts ? bytes : -bytes);
        }
    }

    MemoryLog take() { return std::move(m_log); }

private:
    const PlanParts& m_parts;
    OpIndex m_index;
    MemoryLog m_log;
};

} // namespace

MemoryLog planMemoryLog(const PlanParts& parts, const ExecutionPlan& plan)
{
    Log log(parts);
    for (const PlannedMessage& message : parts.messages.messages)
        log.message(message);
    for (const DeviceId device : plan.devices.ids()) {
        for (const PlannedBuffer& buffer : parts.stashes[device].buffers)
            log.buffer(device, buffer);
        log.guests(device, parts.stashes[device]);
    }
    return log.take();
}

} // namespace engine
