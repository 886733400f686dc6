#pragma once

#include "engine/base/attributes.h"
#include "engine/schedule/check/stash.h"
#include "engine/schedule/dataflow.h"
#include "engine/schedule/schedule.h"
#include "engine/sim/network.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace engine::sim {

// What exists and who waits while an iteration is placed: values, copies and all-reduces. We keep
// it apart from the placer, because none of it depends on the order in which devices are visited.

// Identifies a value of a schedule by kind and index within the kind.
struct ValueKey
{
    Value::Kind kind = Value::Kind::Stash;
    std::uint32_t index = 0xFFFFFFFF;

    std::uint64_t bits() const { return (static_cast<std::uint64_t>(kind) << 32) + index; }
    friend bool operator==(ValueKey, ValueKey) = default;
};

BS_INLINED ValueKey keyOf(const Value& value, const Shape& shape)
{
    if (value.kind == Value::Kind::ReducedGradient)
        return {value.kind, shape.row(value.replica, value.stage)};
    return {value.kind, cellIndex(value, shape)};
}

// The state of every value while an iteration is placed. Activations, gradients and reduced
// gradients use 64 bits each: not produced, produced on its own device, or the arrival time. A
// stash uses one bit, because only evicts move it to another device.
class ValueTable
{
public:
    explicit ValueTable(const Shape& shape)
        : m_activations(cellCount(shape))
        , m_gradients(cellCount(shape))
        , m_reduced(shape.rows())
        , m_stashes(cellCount(shape))
    { }

    BS_INLINED static bool isTimed(Value::Kind kind)
    {
        return kind == Value::Kind::Activation || kind == Value::Kind::Gradient
            || kind == Value::Kind::ReducedGradient;
    }

    BS_INLINED void setMade(ValueKey key)
    {
        if (!isTimed(key.kind))
            m_stashes[key.index] |= bitOf(key.kind);
        else if (std::int64_t& word = wordOf(key); word == kNotMade)
            word = kMade;
    }
    BS_INLINED void setArrival(ValueKey key, std::int64_t tick) { wordOf(key) = kFirstTick + tick; }
    void clear(ValueKey timed) { wordOf(timed) = kNotMade; }
    void setGone(ValueKey key) { m_stashes[key.index] &= ~bitOf(key.kind); }

    BS_INLINED bool isMade(ValueKey key) const
    {
        return isTimed(key.kind) ? wordOf(key) != kNotMade
                                 : (m_stashes[key.index] & bitOf(key.kind)) != 0;
    }
    // hasArrived() and arrival() require a kind for which isTimed() is true.
    BS_INLINED bool hasArrived(ValueKey key) const { return wordOf(key) >= kFirstTick; }
    BS_INLINED std::int64_t arrival(ValueKey key) const { return wordOf(key) - kFirstTick; }

private:
    // 0 means "not produced", so that zero-initialized memory needs no writes.
    static constexpr std::int64_t kNotMade = 0, kMade = 1, kFirstTick = 2;

    BS_INLINED static std::uint8_t bitOf(Value::Kind kind)
    {
        return 1u << static_cast<unsigned>(kind);
    }
    BS_INLINED std::int64_t& wordOf(ValueKey key)
    {
        return key.kind == Value::Kind::Activation ? m_activations[key.index]
            : key.kind == Value::Kind::Gradient    ? m_gradients[key.index]
                                                   : m_reduced[key.index];
    }
    BS_INLINED const std::int64_t& wordOf(ValueKey key) const
    {
        return const_cast<ValueTable*>(this)->wordOf(key);
    }

    std::vector<std::int64_t> m_activations, m_gradients, m_reduced;
    std::vector<std::uint8_t> m_stashes;
};

// Times the evicts and loads of one device. The link to the partner is full-duplex: evicts are
// sequential, and so are loads, but an evict and a load may overlap. Also tracks the free space for
// stashes on both devices. An op that needs space on the device waits for the oldest running evict;
// an evict that needs space on the partner waits for the oldest load. That evict or load always
// comes earlier in the program, so this cannot deadlock.
class CopyQueues
{
public:
    CopyQueues(const StashCapacity& capacity, std::int64_t start)
        : m_own(capacity.own)
        , m_guests(capacity.guests)
        , m_evictFree(start)
        , m_loadFree(start)
    { }

    // The copy starts at `ready` or later, in program order, and takes `duration`. `parts` is the
    // size of the stash.
    Window evict(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    Window load(std::int64_t parts, std::int64_t ready, std::int64_t duration);
    // Reserves space for `parts` on the device. Returns the time at which the space is free,
    // `ready` or later.
    std::int64_t take(std::int64_t parts, std::int64_t ready) { return m_own.take(parts, ready); }
    void giveBack(std::int64_t parts) { m_own.giveBack(parts); }

    // The time at which a copied stash arrives; 0 if the stash was not copied.
    void setArrival(ValueKey stash, std::int64_t tick) { m_arrival[stash.bits()] = tick; }
    std::int64_t arrival(ValueKey stash) const
    {
        const auto found = m_arrival.find(stash.bits());
        return found == m_arrival.end() ? 0 : found->second;
    }

private:
    // The space for stashes, in parts. Space that is being freed is counted as used until a later
    // take() needs it.
    class Slots
    {
    public:
        explicit Slots(std::int64_t capacity)
            : m_capacity(capacity)
        { }
        std::int64_t take(std::int64_t parts, std::int64_t ready);
        void giveBack(std::int64_t parts) { m_held -= parts; }
        void giveBackAt(std::int64_t end, std::int64_t parts) { m_leaving.push_back({end, parts}); }

    private:
        struct Leaving
        {
            std::int64_t end = 0, parts = 0;
        };

        std::int64_t m_capacity = 0, m_held = 0;
        std::deque<Leaving> m_leaving; // sorted by end
    };

    Slots m_own, m_guests; // space on the device, and on its partner
    std::int64_t m_evictFree = 0, m_loadFree = 0;
    std::unordered_map<std::uint64_t, std::int64_t> m_arrival;
};

// Like CopyQueues, but for evicts and loads that share links: the end of a copy is unknown until
// the copy is complete. The order of the program alone determines for which copies an op waits.
class SharedCopies
{
public:
    using Flow = Network::Flow;
    using Flows = std::vector<Flow>;

    explicit SharedCopies(const StashCapacity& capacity)
        : m_own{capacity.own, 0, {}}
        , m_guests{capacity.guests, 0, {}}
    { }

    // The copies for which a new copy of `parts` must wait. Then pass the flow of the new copy to
    // addEvict() or addLoad().
    const Flows& beforeEvict(std::int64_t parts) { return before(m_guests, parts, m_lastEvict); }
    const Flows& beforeLoad(std::int64_t parts) { return before(m_own, parts, m_lastLoad); }
    void addEvict(std::int64_t parts, Flow flow) { add(m_own, parts, flow, m_lastEvict); }
    void addLoad(std::int64_t parts, Flow flow) { add(m_guests, parts, flow, m_lastLoad); }
    // The evicts that must be complete before `parts` fit on the device.
    const Flows& beforeSpace(std::int64_t parts) const;
    void take(std::int64_t parts) { release(m_own, parts); }
    void giveBack(std::int64_t parts) { m_own.held -= parts; }

    // The copy that brings a stash; kNone if it was not copied.
    void setBrings(ValueKey stash, Flow flow) { m_brings[stash.bits()] = flow; }
    Flow brings(ValueKey stash) const
    {
        const auto found = m_brings.find(stash.bits());
        return found == m_brings.end() ? Network::kNone : found->second;
    }

private:
    struct Leaving
    {
        Flow flow = 0;
        std::int64_t parts = 0;
    };
    struct Slots
    {
        std::int64_t capacity = 0, held = 0;
        std::deque<Leaving> leaving;
    };

    void release(Slots& slots, std::int64_t parts);
    const Flows& before(Slots& slots, std::int64_t parts, Flow last);
    static void add(Slots& slots, std::int64_t parts, Flow flow, Flow& last);

    Slots m_own, m_guests;
    Flow m_lastEvict = Network::kNone, m_lastLoad = Network::kNone;
    std::unordered_map<std::uint64_t, Flow> m_brings;
    mutable Flows m_before;
};

// An op in the all-reduce queue of a device.
struct AllReduceCall
{
    std::uint32_t op = 0; // OpIndex
    std::uint8_t replica = 0;
    StageId stage; // identifies the all-reduce (allReduceStage())
    std::int64_t issued = 0, duration = 0;
    bool isTied = false; // of tied embeddings
};

// An all-reduce that all its devices have reached.
struct AllReduceStart
{
    StageId stage;
    std::int64_t begin = 0, duration = 0;
    bool isTied = false;
};

// A call whose all-reduce is complete. `begin` and `end` are the same for all calls of the
// all-reduce.
struct AllReduceDone
{
    DeviceId device;
    AllReduceCall call;
    std::int64_t begin = 0, end = 0;
};

// The all-reduce queues of all devices, which process their calls in issue order. The all-reduce of
// a stage starts when it is first in the queue of every device that holds the stage. In an
// asynchronous schedule a stage has one all-reduce per update.
class AllReduceQueues
{
public:
    // `calls`: the number of ALLREDUCE ops per all-reduce of a stage.
    AllReduceQueues(const Schedule& schedule, const IdVector<StageId, int>& calls);

    // Whether the schedule has an all-reduce of the stage; if so, the optimizer step waits for its
    // result.
    bool isCalled(StageId stage) const { return m_pending[stage].expected > 0; }
    void issue(DeviceId device, const AllReduceCall& call);
    // nullopt if no all-reduce can start.
    std::optional<AllReduceStart> next();
    // Completes an all-reduce. Other all-reduces of its devices may then start.
    const std::vector<AllReduceDone>& complete(StageId stage, Window window);
    // Whether no call waits for another device.
    bool isIdle() const;

private:
    struct Queue
    {
        std::vector<AllReduceCall> calls;
        std::size_t head = 0;   // number of completed calls
        std::size_t joined = 0; // number of calls that have joined their all-reduce
        std::int64_t free = 0;
    };
    struct PendingAllReduce // the all-reduce of one stage
    {
        int expected = 0, joined = 0;
        std::int64_t begin = 0, duration = 0;
        bool isTied = false;
    };

    void join(Queue& queue);
    void completeOn(DeviceId device, StageId stage, Window window);

    const Schedule& m_schedule;
    IdVector<DeviceId, Queue> m_queues;
    IdVector<StageId, PendingAllReduce> m_pending;
    std::vector<StageId> m_startable;
    std::vector<AllReduceDone> m_done;
};

} // namespace engine::sim
