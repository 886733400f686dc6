#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_window.h"

#include <QRectF>

class QPainter;

namespace app {

// The overview shows the whole run in the width of the time area: a line of labels, rows of
// coverage columns, and the visible window on top of them.

constexpr double kOverviewLabels = 14; // height of the line of labels

TimeAxis overviewAxis(const RunView& view, const QRectF& area, double dpr);
QString iterationTitle(const engine::Iteration& iteration); // "iteration 2", "warm-up", "median"

// Draws only the rows. This is slow, so the result should be cached.
void paintOverview(QPainter& painter, const RunView& view, const BoxColours& colours,
                   const QRectF& area, double dpr);
void paintOverviewLabels(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, int current);
// Draws the visible window: its frame and two handles, and a shade over the time outside.
void paintOverviewWindow(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, ViewWindow window);
// Draws a triangle over every hit of a search.
void paintOverviewHits(QPainter& painter, const RunView& view, const BoxColours& colours,
                       const QRectF& area, const std::vector<Selection>& hits);
QRectF overviewWindowRect(const RunView& view, const QRectF& area, ViewWindow window);

} // namespace app
