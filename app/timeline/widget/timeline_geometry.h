#pragma once

#include <QRectF>
#include <QSizeF>

#include <algorithm>

namespace app {

// The areas of a timeline, in logical pixels of the widget.
struct TimelineGeometry
{
    static constexpr double kHeader = 140, kColumn = 124;
    static constexpr double kOverview = 48, kRuler = 26, kIterations = 30, kNotes = 18;
    static constexpr double kLegend = 28;
    static constexpr double kColumnFrom = 640; // minimum width in pixels for the memory column

    // These areas are as wide as the time axis. `iterations` and `notes` are empty if not shown.
    QRectF overview, ruler, iterations, notes, lanes;
    QRectF header, column; // next to the lanes; `column` is empty if it does not fit
    QRectF legend;

    struct Strips
    {
        bool iterations = false, notes = false;
    };

    TimelineGeometry()
        : TimelineGeometry({}, {})
    { }
    TimelineGeometry(QSizeF size, Strips strips)
    {
        const double right = size.width() >= kColumnFrom ? kColumn : 0;
        const double width = std::max(1.0, size.width() - kHeader - right);
        const double below = kOverview + kRuler;
        const double flags = below + (strips.iterations ? kIterations : 0);
        const double top = flags + (strips.notes ? kNotes : 0);
        const double height = std::max(0.0, size.height() - top - kLegend);
        overview = {kHeader, 0, width, kOverview};
        ruler = {kHeader, kOverview, width, kRuler};
        iterations = {kHeader, below, width, flags - below};
        notes = {kHeader, flags, width, top - flags};
        lanes = {kHeader, top, width, height};
        header = {0, top, kHeader, height};
        column = {kHeader + width, top, right, height};
        legend = {0, top + height, size.width(), kLegend};
    }
};

} // namespace app
