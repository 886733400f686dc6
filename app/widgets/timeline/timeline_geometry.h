#pragma once

#include <QRectF>
#include <QSizeF>

#include <algorithm>

namespace app {

// The areas of a timeline, in logical pixels of the widget.
struct TimelineGeometry
{
    static constexpr double kHeader = 140, kColumn = 124;
    static constexpr double kOverview = 48, kRuler = 26, kNotes = 18, kLegend = 28;
    static constexpr double kColumnFrom = 640; // minimum width in pixels for the memory column

    QRectF overview, ruler, notes, lanes; // areas over the time axis; `notes` may be empty
    QRectF header, column;                // next to the lanes; `column` is empty if it does not fit
    QRectF legend;

    explicit TimelineGeometry(QSizeF size = {}, bool hasNotes = false)
    {
        const double right = size.width() >= kColumnFrom ? kColumn : 0;
        const double width = std::max(1.0, size.width() - kHeader - right);
        const double below = kOverview + kRuler, top = below + (hasNotes ? kNotes : 0);
        const double height = std::max(0.0, size.height() - top - kLegend);
        overview = {kHeader, 0, width, kOverview};
        ruler = {kHeader, kOverview, width, kRuler};
        notes = {kHeader, below, width, top - below};
        lanes = {kHeader, top, width, height};
        header = {0, top, kHeader, height};
        column = {kHeader + width, top, right, height};
        legend = {0, top + height, size.width(), kLegend};
    }
};

} // namespace app
