#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"
#include "profiler/analysis/ticks.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace app {

// The unit, origin and marks of a ruler.
struct RulerScale
{
    Scale unit;
    double origin = 0;     // in ticks
    QString title;         // "ms from iteration start"
    profiler::Ticks marks; // in `unit`, relative to the origin
    // Left and right edges of other marks on the ruler. Labels that overlap them are not drawn.
    std::vector<std::pair<double, double>> taken = {};
};

// Returns the marks of an axis in its unit, with labelled marks at least 60 pixels apart.
profiler::Ticks rulerMarks(const TimeAxis& axis, double origin, double perUnit);
// Returns the ruler for the visible time. Its origin is `planned`, the planned start of the next
// iteration, if given. Otherwise it is the start of the first visible iteration or, if many
// iterations are visible, the start of the run.
RulerScale rulerScale(const RunView& view, const TimeAxis& axis,
                      std::optional<std::int64_t> planned = {});
// A ruler that counts from `origin`. `unit` returns its unit for the longest time that it shows.
RulerScale rulerFrom(double origin, const TimeAxis& axis,
                     const std::function<Scale(double longest)>& unit);
double markX(const RulerScale& scale, const TimeAxis& axis, double mark);

void paintRuler(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                const Theme& theme, const QRectF& area);
void paintGrid(QPainter& painter, const RulerScale& scale, const TimeAxis& axis, const Theme& theme,
               const QRectF& area);
// Draws lines at the start and end of each iteration over the lanes, and a triangle at its end on
// the ruler. Draws neither if the iterations are so narrow that the lines would cover the lanes.
void paintIterationEdges(QPainter& painter, const RunView& view, const TimeAxis& axis,
                         const Theme& theme, const QRectF& area);
void paintEndTriangles(QPainter& painter, const RunView& view, const TimeAxis& axis,
                       const Theme& theme, double bottom);
void paintTriangle(QPainter& painter, QPointF tip, QColor colour);

} // namespace app
