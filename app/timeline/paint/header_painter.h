#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/run_view.h"

#include <QRectF>

class QPainter;

namespace app {

// The columns next to the lane of a device. The left one, 140 pixels wide, has the name, the
// stages, the share of compute and a bar of time shares. The right one, 124 pixels wide, has the
// peak memory by category (in M_a if no memory was recorded), or the bubble if lanes are dense.
struct LaneCell
{
    const RunView& view;
    const BoxColours& colours;
    engine::DeviceId device;
    const Lane& lane;
    int iteration = -1;
    QRectF area;
    const KernelView* kernels = nullptr; // nullptr unless the lane has kernel rows
};
void paintHeader(QPainter& painter, const LaneCell& cell);
void paintMemoryCell(QPainter& painter, const LaneCell& cell);
// The text of a collapsed group's right cell: the largest peak of its devices, or their mean
// bubble. "" for the lane of one device.
QString groupCellText(const RunView& view, const Lane& lane, int iteration);
QString memoryTitle(const RunView& view, const Lane& lane); // title of the right column

// Draws the shares of forward, backward, W, optimizer and exposed communication. The rest of `area`
// is bubble.
void paintShareBar(QPainter& painter, const profiler::DeviceMetrics& metrics, std::int64_t duration,
                   const BoxColours& colours, const QRectF& area);

} // namespace app
