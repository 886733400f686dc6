#pragma once

#include "engine/sim/order_facts.h"
#include "engine/timeline/iteration_summary.h"
#include "engine/timeline/stash_ledger.h"

#include <span>
#include <vector>

namespace engine::sim {

// Adds up times without storing spans. If stashes move between devices, also stores the times of
// all stash changes: the peak then depends on them and not only on the order of the ops.
class SummaryRecorder
{
public:
    // `kept`: the share of a recomputed stash that is kept until its RECOMPUTE.
    SummaryRecorder(const Schedule& schedule, const OrderFacts& facts, double kept);

    void computed(DeviceId device, std::uint32_t, std::span<const Op> group, Window window)
    {
        Own& own = m_own[device];
        if (window.begin < window.end) {
            DeviceSummary& sums = own.sums;
            if (sums.compute == 0)
                sums.computed.begin = window.begin;
            sums.computed.end = window.end;
            sums.compute += window.duration();
        }
        if (m_rebuilt.any())
            countRebuilt(own, group);
        else
            count(own, group);
        if (!m_ledger.empty())
            for (const Op& op : group)
                m_ledger.front().add(device, op, window);
    }
    void sent(DeviceId device, std::uint32_t, Window) { ++m_own[device].sums.messagesSent; }
    void received(DeviceId device, std::uint32_t, Window) { ++m_own[device].sums.messagesReceived; }
    void copiedLocally(DeviceId device) { ++m_own[device].sums.localCopies; }
    void reduced(DeviceId device, std::uint32_t, Window window);
    void copied(DeviceId device, std::uint32_t, const Op& op, Window window);

    // [device] The union of the windows of the device's all-reduces.
    IdVector<DeviceId, std::vector<Window>> allReduceWindows(std::size_t) const
    {
        return m_reduced;
    }
    IdVector<DeviceId, DeviceSummary> devices();

private:
    struct Own
    {
        DeviceSummary sums;
        std::int64_t held = 0, most = 0; // current and largest amount, in parts
        HeldParts rebuilt;               // used instead of `held` if stashes are recomputed
        StashLedger::Peak peak;
    };

    void countRebuilt(Own& own, std::span<const Op> group) const;
    void count(Own& own, std::span<const Op> group) const
    {
        for (const Op& op : group)
            own.held += stashChange(op.kind).ownAtBegin * stashParts(op, m_shape);
        own.most = own.held > own.most ? own.held : own.most;
        for (const Op& op : group)
            own.held += stashChange(op.kind).ownAtEnd * stashParts(op, m_shape);
    }

    Shape m_shape;
    RebuiltStashes m_rebuilt;
    double m_kept = 0;
    IdVector<DeviceId, Own> m_own;
    IdVector<DeviceId, std::vector<Window>> m_reduced;
    std::vector<StashLedger> m_ledger; // one if stashes move between devices, else none
};

} // namespace engine::sim
