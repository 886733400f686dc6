#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/range_view.h"
#include "app/ui/theme.h"

#include <QString>

class QPainter;

namespace app {

// Draws the NVTX rows of a lane as grey boxes, with names where they fit. Draws only one of several
// ranges within one pixel.
struct RangeRows
{
    const RangeView& ranges;
    engine::DeviceId device;
    const Lane& lane;
};
void paintRanges(QPainter& painter, const RangeRows& rows, const TimeAxis& axis,
                 const Theme& theme);

} // namespace app
