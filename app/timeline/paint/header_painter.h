#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/kernel_view.h"
#include "profiler/figure/palette.h"

#include <QColor>
#include <QRectF>

#include <span>
#include <vector>

namespace app {

// A part of the stacked bar that shows the peak memory of a device. It states the bytes of one
// memory category or, if no memory was recorded, the stash in M_a.
struct MemoryPart
{
    QColor fill;
    double amount = 0;
};
std::vector<MemoryPart> memoryParts(const RunView& view, const profiler::DeviceMetrics& device,
                                    const Theme& theme);
double memoryPeak(const RunView& view, const profiler::DeviceMetrics& device);

// Least lane height, in pixels, for a vertical memory bar with several amounts beside it. In a
// lower lane the bar is horizontal, with one amount.
constexpr double kStandingFrom = 84;

// The memory bar of a device while its run has not ended. It shows the amounts of RunningMemory:
// the arena as an outline, the touched bytes, the live bytes by category, and the planned peak as a
// triangle. The four numbers are to the right of the bar.
struct RunningBar
{
    const RunningMemory& memory;
    const profiler::DeviceMetrics& device; // the device's metrics in any iteration
    QRectF bar, amounts;
    double scale = 1; // bytes of a full bar
};
void paintRunningMemory(QPainter& painter, const RunningBar& running, const Theme& theme);

// Draws the parts from the bottom, or from the left if `bar` is horizontal. `scale` is the amount
// of a full bar.
void paintMemoryParts(QPainter& painter, const std::vector<MemoryPart>& parts, double scale,
                      const QRectF& bar);

// The columns next to the lane of a device. The left one, 140 pixels wide, has the name, the
// stages, the share of compute and a bar of time shares. The right one, 124 pixels wide, has the
// peak memory by category (in M_a if no memory was recorded), or the bubble if lanes are dense.
struct LaneCell
{
    engine::DeviceId device;
    int iteration = -1;
    QRectF area;
    const KernelView* kernels = nullptr; // nullptr unless the lane has kernel rows
};
void paintHeader(const LaneCanvas& on, const LaneCell& cell);
void paintMemoryCell(const LaneCanvas& on, const LaneCell& cell);
// The text of a collapsed group's right cell: the largest peak of its devices, or their mean
// bubble. "" for the lane of one device.
QString groupCellText(const RunView& view, const Lane& lane, int iteration);
QString memoryTitle(const RunView& view, const Lane& lane); // title of the right column

// Draws the shares of forward, backward, W, optimizer and exposed communication. The rest of `area`
// is bubble.
void paintShareBar(QPainter& painter, const profiler::DeviceMetrics& metrics,
                   const BoxColours& colours, const QRectF& area);

} // namespace app
