#include "app/timeline/view/range_view.h"

#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace app {
namespace {

// Returns the ranges of ops and of libraries, sorted so that outer ranges come before inner ones.
std::vector<HostRange> nested(const engine::Run& run, const engine::OpIndex& index,
                              const engine::GpuTrace& trace)
{
    std::vector<HostRange> ranges;
    ranges.reserve(trace.launches.size() + trace.ranges.size());
    // Skips unknown ops, because another program may have written the file.
    const std::size_t ops = engine::opCount(run.schedule);
    for (const engine::GpuOpLaunch& launch : trace.launches)
        if (launch.of.op < ops)
            ranges.push_back(
                {launch.window,
                 launch.of,
                 opName(run.info, engine::opAt(run.schedule, index, launch.of.op)).toStdString(),
                 {}});
    for (const engine::GpuRange& range : trace.ranges)
        ranges.push_back(
            {range.window, range.of, trace.strings[range.text], trace.strings[range.domain]});
    std::ranges::stable_sort(ranges, {}, [](const HostRange& range) {
        return std::tuple(range.window.begin, -range.window.end);
    });
    return ranges;
}

} // namespace

RangeView::RangeView(const engine::Run& run, const engine::GpuTrace& trace)
    : m_ranges(run.schedule.shape.devices)
{
    const engine::OpIndex index(run.schedule);
    const std::size_t ops = engine::opCount(run.schedule);
    for (HostRange& range : nested(run, index, trace)) {
        if (range.of.op >= ops) {
            ++m_leftOut;
            continue;
        }
        const engine::DeviceId device = index.deviceOf(range.of.op);
        add(device, std::move(range));
    }
    for (const auto& rows : m_ranges)
        m_rows.push_back(static_cast<int>(rows.size()));
}

// Places a range into the first free row. Omits it if all kMostRows rows are taken. Considers the
// whole run and not only its visible part, so that lanes do not jump while panning.
void RangeView::add(engine::DeviceId device, HostRange range)
{
    auto& rows = m_ranges[device];
    const auto free = std::ranges::find_if(rows, [&range](const std::vector<HostRange>& row) {
        return row.back().window.end <= range.window.begin;
    });
    if (free != rows.end())
        free->push_back(std::move(range));
    else if (rows.size() < kMostRows)
        rows.push_back({std::move(range)});
    else
        ++m_leftOut;
}

std::span<const HostRange> RangeView::around(engine::DeviceId device, int row,
                                             engine::Window window) const
{
    const auto all = on(device, row);
    const auto end = [](const HostRange& range) { return range.window.end; };
    const auto begin = [](const HostRange& range) { return range.window.begin; };
    const auto first = std::ranges::lower_bound(all, window.begin, {}, end);
    const auto last = std::ranges::upper_bound(all, window.end, {}, begin);
    return first < last ? std::span(first, last) : std::span<const HostRange>();
}

const HostRange* RangeView::at(engine::DeviceId device, engine::Window window) const
{
    for (const auto& row : m_ranges[device]) {
        const auto found = std::ranges::find(row, window, &HostRange::window);
        if (found != row.end())
            return &*found;
    }
    return nullptr;
}

} // namespace app
