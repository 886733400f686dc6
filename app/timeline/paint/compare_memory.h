#pragma once

#include "app/timeline/paint/compare_painter.h"

namespace app {

// Memory scales shared by all runs of a comparison; separate for bytes and M_a.
struct MemoryScales
{
    double bytes = 1, stash = 1;

    double of(const RunView& view) const { return view.hasMemory() ? bytes : stash; }
};
MemoryScales memoryScales(const CompareLayout& layout);

// The area of the bars, under the key numbers in the right column of a row; `column` is the row's
// column. Empty if they do not fit.
QRectF compareMemoryArea(const CompareRow& row, const QRectF& column);
// The area of one device within `area`, including the space to its neighbour.
QRectF compareMemorySlot(const CompareRow& row, const QRectF& area, int device);
void paintCompareMemory(const ComparePaint& paint, const MemoryScales& scales,
                        const QRectF& column);

} // namespace app
