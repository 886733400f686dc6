#pragma once

#include "app/models/theme.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/run_view.h"
#include "profiler/analysis/ticks.h"

class QPainter;

namespace app {

// The scale of a ruler: the unit, the origin, the marks.
struct RulerScale
{
    Scale unit;
    double origin = 0;     // ticks
    QString title;         // "ms from iteration start"
    profiler::Ticks marks; // in units from the origin
};

// The marks of an axis in its unit, labelled ones at least 60 pixels apart.
profiler::Ticks rulerMarks(const TimeAxis& axis, double origin, double perUnit);
// Counts from the start of the iteration under the view, or of the first of several; from the start
// of the run if all are visible.
RulerScale rulerScale(const RunView& view, const TimeAxis& axis);
double markX(const RulerScale& scale, const TimeAxis& axis, double mark);

void paintRuler(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                const Theme& theme, const QRectF& area);
void paintGrid(QPainter& painter, const RulerScale& scale, const TimeAxis& axis, const Theme& theme,
               const QRectF& area);
// Begin and end of each iteration through the lanes, and its end as a triangle on the ruler.
void paintIterationEdges(QPainter& painter, const RunView& view, const TimeAxis& axis,
                         const Theme& theme, const QRectF& area);
void paintEndTriangles(QPainter& painter, const RunView& view, const TimeAxis& axis,
                       const Theme& theme, double bottom);
void paintTriangle(QPainter& painter, QPointF tip, QColor colour);

} // namespace app
