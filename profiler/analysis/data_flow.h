#pragma once

#include "engine/schedule/dataflow.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace profiler {

// Finds the producer, the transfer and the consumers of every value of a schedule. Ops are OpIndex
// numbers. This is the inverse of consumes() and produces(), built in one pass. The schedule must
// outlive the DataFlow.
class DataFlow
{
public:
    explicit DataFlow(const engine::Schedule& schedule);

    const engine::OpIndex& index() const { return m_index; }
    const engine::Op& op(std::uint32_t op) const { return opAt(m_schedule, m_index, op); }
    engine::DeviceId deviceOf(std::uint32_t op) const { return m_index.deviceOf(op); }

    // Returns the op that produces the value for `consumer`. Consumers of the same stash can have
    // different producers, because LOAD and RECOMPUTE produce the stash again.
    std::optional<std::uint32_t> producer(const engine::Value& value, std::uint32_t consumer) const;
    std::optional<std::uint32_t> send(const engine::Value& value) const;
    // The last UNSHARD of the stage of a compute op before the op.
    std::optional<std::uint32_t> gatherOf(std::uint32_t op) const;
    // Returns the RECV of `value` on `device`; nullopt if the device produces the value itself.
    std::optional<std::uint32_t> receive(const engine::Value& value, engine::DeviceId device) const;
    // Returns the RECV of the message that a SEND sends.
    std::optional<std::uint32_t> receiveOf(std::uint32_t send) const;
    std::span<const std::uint32_t> consumers(const engine::Value& value) const;
    // The ops whose gradients the all-reduce of `stage` sums: B or W of every replica.
    std::span<const std::uint32_t> contributors(engine::StageId stage) const;

private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    using Table = std::vector<std::uint32_t>;
    struct Groups // the ops of key k are ops[first[k]] .. ops[first[k + 1] - 1]
    {
        Table first, ops;
        std::span<const std::uint32_t> of(std::uint32_t key) const;
    };

    template<class KeysOf>
    Groups group(std::uint32_t keys, KeysOf keysOf) const;
    void noteTransfer(std::uint32_t number, const engine::Op& op);
    std::optional<std::uint32_t> find(const Table& table, const engine::Value& value) const;

    const engine::Schedule& m_schedule;
    engine::OpIndex m_index;
    Table m_send, m_receive;         // indexed by value
    Table m_gathers;                 // [op] see gatherOf(); empty without UNSHARD
    Groups m_producers, m_consumers; // indexed by value
    Groups m_contributors;           // indexed by stage
};

} // namespace profiler
