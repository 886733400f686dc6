#pragma once

#include "engine/base/result.h"
#include "engine/cost/cost_model.h"
#include "engine/schedule/check/stash.h"

#include <cstdint>
#include <span>
#include <vector>

namespace profiler {

// The compute ops of a schedule and what they wait for, as flat arrays without names. A search
// places an iteration many thousand times per second, so nothing here is looked up by value.
//
// The graph places ops as engine::simulate() does with eager receives and links of their own:
// a device computes its items in order, a message starts when its link is free, and an item starts
// when its messages have arrived. It leaves out that transfers which share links slow one another
// down, and that all-reduces slow compute down; isExact() says whether the costs have either.
class OrderGraph
{
public:
    using Id = std::uint32_t; // of an item, or of a message
    static constexpr Id kNone = 0xFFFFFFFF;
    static constexpr std::int64_t kNever = INT64_MAX / 4; // a time, or a length that is too long

    // An op, or several ops that are executed as one (OpFlag::JointWithNext).
    struct Item
    {
        std::uint32_t device = 0, ops = 0;    // ops of the lowered program, with its transfers
        std::int64_t duration = 0;            // in ticks
        std::int64_t takes = 0, frees = 0;    // memory from its start, and until its end
        std::uint32_t input = 0, message = 0; // first element in inputs and messages
        std::uint32_t before = 0, after = 0;  // first element in befores and afters
        std::int64_t tail = 0; // ticks from its end to the end of the iteration, at least
        std::int64_t head = 0; // ticks from the start of the iteration to its start, at least
    };
    struct Message
    {
        std::uint32_t link = 0; // a directed pair of devices
        std::int64_t busy = 0, latency = 0;
    };
    struct AllReduce
    {
        struct Call
        {
            std::uint32_t device = 0;
            std::uint8_t replica = 0;
            std::int64_t step = 0; // ticks of the optimizer step that waits for it
            std::vector<Id> items; // the backward ops of the stage
        };
        int stage = 0;
        std::int64_t duration = 0;
        std::vector<Call> calls;
    };
    // What a device keeps, in any unit of memory.
    struct Memory
    {
        engine::IdVector<engine::StageId, engine::HeldParts> ofPart; // a part of a stash
        bool backwardRebuilds = false;  // a stash that no RECOMPUTE rebuilds is dropped until B
        std::vector<std::int64_t> held; // [device] before the first op; empty: nothing
    };
    // Resolves a lowered schedule with its costs. Fails with Error::Code::Unsupported for what no
    // item represents: evicts and loads, windows without a flush, and ops that wait for receives.
    static engine::Result<OrderGraph> of(const engine::Schedule& lowered,
                                         const engine::OpCosts& costs, const Memory& memory);

    // The order of the graph's own schedule, sorted by start; every item comes after its inputs.
    const std::vector<Id>& start() const { return m_start; }
    // The compute ops in another order. `order` must be sorted as start() is.
    engine::Schedule scheduleOf(const std::vector<Id>& order) const;

    bool isExact() const { return m_isExact; }
    std::uint32_t devices() const { return static_cast<std::uint32_t>(held.size()); }
    std::uint32_t size() const { return static_cast<std::uint32_t>(items.size() - 1); }

    std::vector<Item> items;         // and one more, which ends the lists of the last item
    std::vector<Id> inputs;          // messages that an item waits for
    std::vector<Message> messages;   // messages that an item sends, in order
    std::vector<Id> befores, afters; // items whose results an item needs, and that need its result
    std::uint32_t links = 0;
    std::vector<std::int64_t> held;  // [device] memory in use before the first item
    std::vector<std::int64_t> steps; // [device] ticks of the optimizer steps without all-reduce
    std::vector<AllReduce> allReduces;
    bool sendsBlock = false;

    // The ops of an item, without JointWithNext.
    const std::vector<engine::Op>& ops(Id item) const { return m_ops[item]; }

private:
    struct Builder;

    engine::Schedule m_order;                   // without its ops
    std::vector<std::vector<engine::Op>> m_ops; // [item]
    std::vector<Id> m_start;
    bool m_isExact = true;
};

// A length in ticks that no order of the items can be shorter than, so that a search can say how
// much is left to gain. It is the largest of
// * the longest chain of items that wait for one another;
// * for every device, the shortest schedule of its items if each may be interrupted, cannot start
//   before its head, and is followed by its tail (Jackson; Carlier, EJOR 1982);
// * for every device with limited memory, the time in which its stashes fit: a stash stays from its
//   F through the chain of its micro-batch to the op that frees it.
// `limits`: [device] the most memory; empty: no limit.
std::int64_t lowerBound(const OrderGraph& graph, std::span<const std::int64_t> limits);

// An order by list scheduling: the op that can start first runs first, a backward before a forward
// before a W, and at most `inFlight` micro-batches have begun and are not complete. With 1 the
// order needs the least memory. Empty if a device cannot go on within its limit.
std::vector<OrderGraph::Id> listOrder(const OrderGraph& graph, std::span<const std::int64_t> limits,
                                      int inFlight);

} // namespace profiler
