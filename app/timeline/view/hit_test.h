#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lane_walk.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/range_view.h"
#include "app/timeline/view/selection.h"

namespace app {

Selection opSelection(const RunView& view, const engine::Span& span, engine::DeviceId device,
                      engine::Track::Kind lane);
Selection pieceSelection(const RunView& view, engine::DeviceId device, const Piece& piece);

// What lies at a point of the lanes (`y` within the lanes, unscrolled). Boxes of a pixel are found
// within three pixels. Exposed communication gives the transfer that causes it.
Selection selectionAt(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
                      double x, double y, const KernelView* kernels = nullptr);
// Where a selected op or bubble is drawn, y as above; empty when it is in no lane that is shown.
QRectF rectOf(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
              const Selection& selection);

// The range under the pointer or, within reach, beside it; nullptr where there is none.
const HostRange* rangeAt(const RangeView& ranges, engine::DeviceId device, const TimeAxis& axis,
                         const Lane& lane, QPointF at);

} // namespace app
