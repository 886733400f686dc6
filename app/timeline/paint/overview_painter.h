#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_window.h"

#include <QRectF>

class QPainter;

namespace app {

// The whole run over the width of the time area: a line of labels, coverage rows, and the window
// of the view on them.
constexpr double kOverviewLabels = 14;

TimeAxis overviewAxis(const RunView& view, const QRectF& area, double dpr);
QString iterationTitle(const engine::Iteration& iteration); // "iteration 2", "warm-up", "median"

void paintOverview(QPainter& painter, const RunView& view, const BoxColours& colours,
                   const QRectF& area, double dpr); // rows only: the part worth caching
void paintOverviewLabels(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, int current);
// The veil, the frame and its two handles.
void paintOverviewWindow(QPainter& painter, const RunView& view, const BoxColours& colours,
                         const QRectF& area, ViewWindow window);
// A triangle over every hit of a search.
void paintOverviewHits(QPainter& painter, const RunView& view, const BoxColours& colours,
                       const QRectF& area, const std::vector<Selection>& hits);
QRectF overviewWindowRect(const RunView& view, const QRectF& area, ViewWindow window);

} // namespace app
