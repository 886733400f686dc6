#pragma once

#include "engine/base/inlined.h"
#include "engine/schedule/dataflow_visit.h"
#include "engine/sim/all_reduce_queues.h"
#include "engine/sim/copy_queues.h"
#include "engine/sim/durations.h"
#include "engine/sim/order_facts.h"
#include "engine/sim/shared_copies.h"
#include "engine/sim/value_table.h"

#include <map>
#include <optional>

namespace engine::sim {

// Windows of the all-reduces that slow down compute, indexed by device.
using SlowWindows = IdVector<DeviceId, std::vector<Window>>;

// The input for one iteration. All objects that it refers to must outlive the placer.
template<class Costs>
struct Placement
{
    const Schedule& schedule;
    const OrderFacts& facts;
    Costs costs;
    const TimingRules& rules;
    std::int64_t start = 0;
    std::uint64_t iteration = 0;
    const SlowWindows* slow = nullptr; // nullptr: no slow-down
};

// Places one iteration. A device advances until its next compute op lacks an input, and continues
// when the input is available. Only its device uses a lane, in program order, so the result does
// not depend on the order in which devices are visited.
//
// If transfers share links, their ends depend on one another, and a Network places them. It
// advances only while every device waits: a transfer that completes at a time t can only cause
// transfers that begin at t or later.
//
// `Costs` is StoredCosts or ListedCosts (durations.h). `Recorder` receives the times: TrackWriter
// stores them as spans, SummaryRecorder adds them up.
template<class Costs, class Recorder>
class Placer
{
public:
    Placer(const Placement<Costs>& placement, Recorder& recorder);

    // Returns the window of the iteration, or an error if a device waits forever.
    Result<Window> place();

private:
    static constexpr bool kImplied = Costs::kImpliesTransfers;
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;

    struct Link
    {
        std::uint16_t peer = Op::kNoPeer;
        std::int64_t free = 0;
        std::uint32_t route = kNone; // index into m_routes; kNone: not used yet
    };
    // The shared links of a lane, whose transfers are sequential.
    struct Route
    {
        Network::Uses uses;
        Network::Flow last = Network::kNone;
    };
    // The transfer of a flow of the network, for complete().
    struct Transfer
    {
        Op op;
        DeviceId device;
        std::uint32_t number = 0; // OpIndex
        ValueKey value;           // value that a message transfers
        std::int64_t latency = 0;
    };
    struct Device
    {
        std::size_t next = 0;  // index of the next op
        std::int64_t free = 0; // time from which compute is free
        ValueKey waitsFor;
        std::int32_t copies = -1; // index into m_copies; -1: no evicts
        bool hasCalled = false;   // has joined the all-reduce that blocks it
        int sending = 0;          // blocking sends in the network
        Network::Flow waitsForFlow = Network::kNone, lastSend = Network::kNone;
        std::uint32_t evictRoute = kNone, loadRoute = kNone;
        std::vector<Link> links; // outgoing, in order of first use
    };
    using Ops = std::span<const Op>;

    void run(DeviceId device);
    // Each of these processes the first op of `ops` (the rest of the device's program), together
    // with the ops joined to it. Returns the number of processed ops, or 0 if the device must wait.
    std::size_t step(DeviceId device, Ops ops);
    std::size_t compute(DeviceId device, Ops ops);
    std::size_t send(DeviceId device, const Op& op);
    std::size_t allReduce(DeviceId device, Ops ops);
    std::size_t copy(DeviceId device, const Op& op);

    BS_INLINED bool gather(DeviceId device, const Op& op, std::int64_t& start);
    BS_INLINED bool isThere(DeviceId device, const Value& value, ValueKey key, std::int64_t& start);
    void makeRoom(Device& own, Ops group, std::int64_t& start);
    bool awaitRoom(Device& own, Ops group, std::int64_t& start);
    BS_INLINED std::int64_t endOf(DeviceId device, Ops group, std::int64_t start) const;
    BS_INLINED void handOver(DeviceId device, const Op& op);
    BS_INLINED void sendTo(DeviceId peer, DeviceId device, const Value& value);
    BS_INLINED void deliver(DeviceId device, const Op& op, ValueKey value,
                            const OpCosts::Cost& cost);
    void call(DeviceId device, std::uint32_t number, const Op& op, std::int64_t duration);
    void startAllReduces();
    void completeAllReduce(StageId stage, Window window);
    void received(DeviceId peer, ValueKey value, Window arrival);

    // Transfers that share links (placer_network.h).
    Route& route(std::uint32_t& number, DeviceId from, DeviceId to);
    void queueMessage(DeviceId device, const Op& op, ValueKey value, const OpCosts::Cost& cost);
    std::size_t queueCopy(DeviceId device, const Op& op);
    void queueAllReduce(const AllReduceStart& start);
    void complete(Network::Flow flow);
    bool hasStash(DeviceId device, ValueKey wanted, std::int64_t& start);
    BS_INLINED void arrive(DeviceId device, ValueKey value, std::int64_t tick);

    void noteReceives();
    BS_INLINED OpCosts::Cost costOf(DeviceId device, std::size_t ahead, const Op& op) const;
    std::uint32_t numberOf(DeviceId device) const
    {
        return m_index.of(device, m_devices[device].next);
    }
    Link& linkTo(Device& from, std::uint16_t peer) const;
    CopyQueues* copiesOf(const Device& device)
    {
        return device.copies < 0 ? nullptr : &m_copies[device.copies];
    }
    BS_INLINED ValueKey key(const Value& value) const { return keyOf(value, m_shape); }
    DeviceId holder(int replica, StageId stage) const
    {
        return m_holders[m_shape.row(replica, stage)];
    }
    Error deadlock() const;

    const Placement<Costs> m_in;
    const Shape m_shape;
    Recorder& m_recorder;
    Jitter m_jitter;
    OpIndex m_index;
    ValueTable m_values;
    AllReduceQueues m_allReduces;
    std::vector<DeviceId> m_holders;          // [row]
    std::vector<CopyQueues> m_copies;         // one for each device that evicts
    std::optional<Network> m_network;         // nullopt: no links are shared
    std::vector<SharedCopies> m_sharedCopies; // used instead of m_copies if links are shared
    std::deque<Route> m_routes;
    std::map<StageId, Network::Uses> m_rings; // links that all-reduces use
    std::unordered_map<Network::Flow, Transfer> m_transfers;
    IdVector<DeviceId, Device> m_devices;
    std::vector<DeviceId> m_runnable;
    // [cell] OpIndex of the RECV of the activation or gradient; empty if transfers are implied.
    std::vector<std::uint32_t> m_activationReceives, m_gradientReceives;
    Window m_window;
};

} // namespace engine::sim
