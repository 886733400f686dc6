#pragma once

#include "app/ui/theme.h"
#include "app/ui/thumbnail.h"

#include <QColor>
#include <QRectF>

class QPainter;

namespace app {

// Draws a thumbnail into `box`. The iteration takes `share` of the width, so that cards can share a
// time scale. If `share` is above 1, the picture is cut at the right and marked with three dots in
// `ink`. Idle time is drawn in the plain bubble colour.
void paintThumbnail(QPainter& painter, const QRectF& box, const Thumbnail& thumbnail, double share,
                    const profiler::Palette& palette, const QColor& ink = {});

} // namespace app
