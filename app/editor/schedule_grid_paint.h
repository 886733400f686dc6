#pragma once

#include "app/editor/schedule_check.h"
#include "app/timeline/paint/box_painter.h"
#include "app/ui/theme.h"

#include <QRect>

#include <span>

class QPainter;

namespace app {

// The dimensions of the grid in pixels.
// Width and height of a cell, height of a box.
constexpr int kGridCell = 48, kGridRow = 36, kGridBox = 28;
// Width of the device names at the left, height of the ruler at the top.
constexpr int kGridHead = 84, kGridRuler = 22;

// Paints the visible part of the grid. `scroll` is the distance in pixels by which the grid is
// scrolled.
class GridPainter
{
public:
    GridPainter(QPainter& painter, const EditedSchedule& schedule, const ScheduleCheck* check,
                const Theme& theme);

    void paint(const QSize& size, const QPoint& scroll);
    void paintSelection(const QRect& cell, bool hasFocus);
    // The boxes of a deadlocked op and of the op that it waits for, in viewport coordinates.
    struct WaitBoxes
    {
        QRect awaited, waiting;
    };
    // Draws an arrow from each awaited op to its waiting op.
    void paintWaits(std::span<const WaitBoxes> waits, const QSize& size);
    void paintDrop(int x, int top); // where a dragged op would be dropped

private:
    void paintRow(int device, const QSize& size, const QPoint& scroll);
    void paintOp(OpPlace place, const QRect& box);
    void paintRuler(const QSize& size, const QPoint& scroll);
    void paintHead(const QSize& size, const QPoint& scroll);

    QPainter& m_painter;
    const EditedSchedule& m_schedule;
    const ScheduleCheck* m_check;
    const Theme& m_theme;
    TimeAxis m_axis;
    BoxColours m_colours;
    BoxPainter m_boxes;
};

} // namespace app
