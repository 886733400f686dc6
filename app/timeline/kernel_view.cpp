#include "app/timeline/kernel_view.h"

namespace app {

KernelView::KernelView(const engine::Run& run, profiler::GpuActivity activity)
    : m_activity(std::move(activity))
    , m_ranges(run, m_activity.trace())
{
    std::size_t first = 0;
    for (int d = 0; d < run.schedule.shape.devices; ++d) {
        m_first.push_back(first);
        m_rows.push_back(static_cast<int>(m_activity.lanes(engine::DeviceId{d}).size()));
        first += static_cast<std::size_t>(m_rows.back());
    }
    m_spans.reserve(m_activity.work().size());
    for (const profiler::GpuWork& work : m_activity.work()) {
        m_spans.push_back({work.window.begin, work.window.end,
                           static_cast<std::uint32_t>(m_spans.size()), work.of.iteration});
        m_kinds.push_back(m_activity.nameOf(work).kind);
        m_occurs[static_cast<int>(m_kinds.back())] = true;
    }
    for (const profiler::GpuLane& lane : m_activity.lanes())
        m_index.emplace_back(std::span(m_spans).subspan(lane.first, lane.count), m_kinds);
}

const profiler::GpuLane& KernelView::lane(engine::DeviceId device, int row) const
{
    return m_activity.lanes()[laneAt(device, row)];
}

std::span<const engine::Span> KernelView::around(engine::DeviceId device, int row,
                                                 engine::Window window) const
{
    return m_index[laneAt(device, row)].around(window);
}

KernelBusy KernelView::busyBefore(engine::DeviceId device, int row, double time) const
{
    return m_index[laneAt(device, row)].before(time);
}

Selection KernelView::select(std::uint32_t work) const
{
    const profiler::GpuWork& one = m_activity.work()[work];
    const profiler::GpuLane& lane = m_activity.lanes()[one.lane];
    Selection selection;
    selection.kind = Selection::Kind::Kernel;
    selection.iteration = one.of.isKnown() ? static_cast<int>(one.of.iteration) : -1;
    selection.device = lane.device;
    selection.op = one.of.op;
    selection.window = one.window;
    selection.work = work;
    selection.row
        = static_cast<int>(one.lane - m_first[static_cast<std::size_t>(lane.device.value)]);
    return selection;
}

} // namespace app
