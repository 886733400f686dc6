#pragma once

#include "app/models/theme.h"
#include "app/models/thumbnail.h"

#include <QRectF>

class QPainter;

namespace app {

// Draws a thumbnail into `box`; the iteration takes `share` of the width (cards share one time
// scale: a longer schedule is a longer picture). Idle time is plain bubble colour.
void paintThumbnail(QPainter& painter, const QRectF& box, const Thumbnail& thumbnail, double share,
                    const profiler::Palette& palette);

} // namespace app
