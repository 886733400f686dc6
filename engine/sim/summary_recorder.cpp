#include "engine/sim/summary_recorder.h"

#include <algorithm>

namespace engine::sim {

SummaryRecorder::SummaryRecorder(const Schedule& schedule, bool hasCopies)
    : m_shape(schedule.shape)
    , m_own(schedule.program.size())
    , m_reduced(schedule.program.size())
{
    if (hasCopies)
        m_ledger.emplace_back(schedule.program.size());
}

void SummaryRecorder::reduced(DeviceId device, std::uint32_t, Window window)
{
    auto& windows = m_reduced[static_cast<std::size_t>(device.value)];
    if (!windows.empty() && window.begin <= windows.back().end)
        windows.back().end = std::max(windows.back().end, window.end);
    else if (window.duration() > 0)
        windows.push_back(window);
}

void SummaryRecorder::copied(DeviceId device, std::uint32_t, const Op& op, Window window)
{
    m_ledger.front().add(device, op, m_shape, window);
}

std::vector<DeviceSummary> SummaryRecorder::devices()
{
    std::vector<DeviceSummary> devices;
    for (std::size_t d = 0; d < m_own.size(); ++d) {
        DeviceSummary sums = m_own[d].sums;
        sums.own = sums.computed;
        if (!m_reduced[d].empty()) {
            const Window all{m_reduced[d].front().begin, m_reduced[d].back().end};
            sums.own.begin = sums.compute == 0 ? all.begin : std::min(sums.own.begin, all.begin);
            sums.own.end = sums.compute == 0 ? all.end : std::max(sums.own.end, all.end);
        }
        if (!m_ledger.empty())
            sums.peakStash = m_ledger.front().peak(d);
        devices.push_back(sums);
    }
    return devices;
}

} // namespace engine::sim
