#pragma once

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "engine/timeline/note.h"
#include "profiler/analysis/ticks.h"

#include <QRectF>

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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
void paintIterationEdges(const LaneCanvas& on, const QRectF& area);
void paintEndTriangles(const LaneCanvas& on, double bottom);
void paintTriangle(QPainter& painter, QPointF tip, QColor colour);

// The overview shows the whole run in the width of the time area: a line of labels, rows of
// coverage columns, and the visible window on top of them.

constexpr double kOverviewLabels = 14; // height of the line of labels

TimeAxis overviewAxis(const RunView& view, const QRectF& area, double dpr);
QString shortTitle(const engine::Iteration& iteration); // "iteration 2", "warm-up", "typical"

// Draws only the rows. This is slow, so the result should be cached.
void paintOverview(const LaneCanvas& on, const QRectF& area);
void paintOverviewLabels(const LaneCanvas& on, const QRectF& area, int current);
// Draws the visible window: its frame and two handles, and a shade over the time outside.
void paintOverviewWindow(const LaneCanvas& on, const QRectF& area);
// Draws a triangle over every hit of a search.
void paintOverviewHits(const LaneCanvas& on, const QRectF& area,
                       const std::vector<Selection>& hits);
QRectF overviewWindowRect(const RunView& view, const QRectF& area, ViewWindow window);

// Draws the times of the visible iterations on an axis from 0: for every pixel column, a band from
// the least to the greatest time, and a line at the median. Labels iterations that are wide enough.
void paintIterationStrip(QPainter& painter, const RunView& view, const IterationStrip& strip,
                         const Theme& theme);
// The range of the times of the visible iterations: "0.41 to 1.24 ms".
QString iterationRange(const RunView& view, const TimeAxis& axis);
// "Iterations 512 to 514: 0.41 to 0.47 ms, median 0.43 ms"; empty if nothing is at the point.
QString iterationToolTip(const RunView& view, const IterationStrip& strip, QPointF at);

// Returns what a note is about as a selection: its op if the timeline has that op, otherwise its
// time.
Selection selectionOf(const RunView& view, const engine::Note& note);
// A note without text on an op, bubble, kernel or range.
engine::Note noteOn(const Selection& selection);
bool canBeNoted(const Selection& selection);

// The strip of notes: a numbered flag with elided text for each note, and a dotted line down over
// the lanes.
struct NoteStrip
{
    std::span<const engine::Note> notes; // sorted by time
    TimeAxis axis;
    QRectF area; // area of the strip
    int current = -1;
};
void paintNoteFlags(QPainter& painter, const NoteStrip& strip, const Theme& theme);
void paintNoteLines(QPainter& painter, const NoteStrip& strip, const QRectF& lanes,
                    const Theme& theme);
int noteAt(const NoteStrip& strip, QPointF at); // -1: no note

} // namespace app
