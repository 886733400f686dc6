#include "engine/sim/summary_recorder.h"

#include <algorithm>

namespace engine::sim {

SummaryRecorder::SummaryRecorder(const Schedule& schedule, const OrderFacts& facts, double kept)
    : m_shape(schedule.shape)
    , m_rebuilt(facts.hasRecomputes ? RebuiltStashes(schedule) : RebuiltStashes())
    , m_kept(kept)
    , m_own(schedule.program.size())
    , m_reduced(schedule.program.size())
{
    if (facts.hasCopies)
        m_ledger.emplace_back(schedule, kept);
}

void SummaryRecorder::countRebuilt(Own& own, std::span<const Op> group) const
{
    const auto add = [&](HeldParts HeldChange::*when) {
        for (const Op& op : group) {
            const HeldChange change = heldChange(op, m_shape, m_rebuilt.of(op));
            own.rebuilt.whole += (change.*when).whole;
            own.rebuilt.kept += (change.*when).kept;
        }
        const double parts = own.rebuilt.whole + m_kept * own.rebuilt.kept;
        own.peak.parts = std::max(own.peak.parts, parts);
        own.peak.kept = std::max(own.peak.kept, own.rebuilt.kept);
    };
    add(&HeldChange::ownAtBegin);
    add(&HeldChange::ownAtEnd);
}

void SummaryRecorder::reduced(DeviceId device, std::uint32_t, Window window)
{
    auto& windows = m_reduced[device];
    if (!windows.empty() && window.begin <= windows.back().end)
        windows.back().end = std::max(windows.back().end, window.end);
    else if (window.duration() > 0)
        windows.push_back(window);
}

void SummaryRecorder::copied(DeviceId device, std::uint32_t, const Op& op, Window window)
{
    m_ledger.front().add(device, op, window);
}

IdVector<DeviceId, DeviceSummary> SummaryRecorder::devices()
{
    IdVector<DeviceId, DeviceSummary> devices;
    for (const DeviceId d : m_own.ids()) {
        DeviceSummary sums = m_own[d].sums;
        sums.own = sums.computed;
        if (!m_reduced[d].empty()) {
            const Window all{m_reduced[d].front().begin, m_reduced[d].back().end};
            sums.own.begin = sums.compute == 0 ? all.begin : std::min(sums.own.begin, all.begin);
            sums.own.end = sums.compute == 0 ? all.end : std::max(sums.own.end, all.end);
        }
        const StashLedger::Peak peak = !m_ledger.empty() ? m_ledger.front().peak(d)
            : m_rebuilt.any()                            ? m_own[d].peak
                              : StashLedger::Peak{static_cast<double>(m_own[d].most), 0};
        sums.peakStash = peak.parts;
        sums.peakKept = peak.kept;
        devices.push_back(sums);
    }
    return devices;
}

} // namespace engine::sim
