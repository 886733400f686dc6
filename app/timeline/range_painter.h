#pragma once

#include "app/models/theme.h"
#include "app/timeline/coordinates.h"
#include "app/timeline/lanes.h"
#include "app/timeline/range_view.h"

#include <QPointF>
#include <QString>

class QPainter;

namespace app {

// The NVTX rows of a lane: neutral boxes with their words where there is room. Those that share a
// pixel are drawn once.
struct RangeRows
{
    const RangeView& ranges;
    engine::DeviceId device;
    const Lane& lane;
};
void paintRanges(QPainter& painter, const RangeRows& rows, const TimeAxis& axis,
                 const Theme& theme);

// The range under the pointer or, within reach, beside it; nullptr where there is none.
const HostRange* rangeAt(const RangeView& ranges, engine::DeviceId device, const TimeAxis& axis,
                         const Lane& lane, QPointF at);
bool isOnRanges(const Lane& lane, double y);

} // namespace app
