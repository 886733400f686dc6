#include "app/compare/coverage_lane.h"

#include "app/timeline/paint/columns.h"

#include <QPainter>

#include <algorithm>

namespace app {
namespace {

engine::DeviceId worstDevice(const RunView& view, int iteration)
{
    const profiler::RunMetrics* metrics = view.metrics(iteration);
    if (!metrics || metrics->devices.empty())
        return engine::DeviceId{0};
    return std::ranges::max_element(metrics->devices, {}, &profiler::DeviceMetrics::bubble)->device;
}

std::vector<RunView::SharesSweep> sweepsOf(const RunView& view, int iteration, LaneOf lane)
{
    std::vector<RunView::SharesSweep> sweeps;
    if (lane == LaneOf::WorstDevice) {
        sweeps.emplace_back(view, worstDevice(view, iteration));
        return sweeps;
    }
    for (engine::DeviceId d{0}; d.value < view.devices(); ++d.value)
        sweeps.emplace_back(view, d);
    return sweeps;
}

} // namespace

void paintCoverageLane(QPainter& painter, const RunView& view, int iteration, LaneOf lane,
                       const TimeAxis& axis, const QRectF& area, const BoxColours& colours)
{
    const engine::Window window
        = view.timeline().iterations[static_cast<std::size_t>(iteration)].window;
    const QRectF inSight = stretch(axis, window, area.top(), area.height()) & area;
    if (inSight.isEmpty())
        return;
    auto sweeps = sweepsOf(view, iteration, lane);
    ColumnColours fills = columnColours(colours, BoxColours::Emphasis::Normal);
    fills.rest = colours.bubbleGround();
    paintColumns(painter, axis, {inSight, window, fills}, [&](double time) {
        Busy mean{};
        for (RunView::SharesSweep& sweep : sweeps) {
            const Busy one = sweep.before(time);
            for (std::size_t k = 0; k < kShares; ++k)
                mean[k] += one[k] / static_cast<double>(sweeps.size());
        }
        return mean;
    });
}

} // namespace app
