#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/lane_walk.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/selection.h"

namespace app {

Selection opSelection(const RunView& view, const engine::Span& span, engine::DeviceId device,
                      engine::Track::Kind lane);
Selection pieceSelection(const RunView& view, engine::DeviceId device, const Piece& piece);

// Returns the item at a point, whose y is relative to the lanes before scrolling. A box one pixel
// wide is also found within three pixels of it. At exposed communication, returns the transfer that
// causes it.
Selection selectionAt(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
                      QPointF point, const KernelView* kernels = nullptr);
// The rectangle of a selected op or bubble, before scrolling; empty if no visible lane shows it.
QRectF rectOf(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
              const Selection& selection);

// The NVTX range under the pointer or close to it; nullptr if there is none.
const HostRange* rangeAt(const RangeView& ranges, engine::DeviceId device, const TimeAxis& axis,
                         const Lane& lane, QPointF at);

// The rectangles of an evict or load on its device and on its partner; both are empty for other
// selections.
std::pair<QRectF, QRectF> moveRects(const RunView& view, const TimeAxis& axis,
                                    const std::vector<Lane>& lanes, const Selection& selection);

} // namespace app
