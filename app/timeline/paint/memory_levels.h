#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/memory_series.h"

#include <QColor>

#include <span>

class QPainter;

namespace app {

struct LevelColours
{
    QColor base, stash, line, top; // `line` is drawn along the levels, `top` over each iteration
    QColor guest, guestLine;       // ground and lines of the stashes of a partner
};

// Draws the memory of a device during the visible iterations. Every device pixel shows its highest
// level, so that no peak is lost. Writes into an image, because four rectangles per pixel would be
// slow.
struct MemoryLevels
{
    static constexpr double kAbove = 8; // space above the full level, in pixels

    const MemorySeries& series;
    std::span<const engine::Iteration> iterations;
    double top = 0, height = 0; // extent of the strip; `top` is a whole device pixel
    double full = 1;
    LevelColours colours = {};

    double y(const TimeAxis& axis, double level) const // returns the y of the line for a level
    {
        return axis.snap(top + height - (full > 0 ? level / full : 0) * (height - kAbove));
    }
};
void paintMemoryLevels(QPainter& painter, const TimeAxis& axis, const MemoryLevels& levels);

} // namespace app
