#pragma once

#include "app/timeline/paint/compare_painter.h"

namespace app {

// Scales of all runs of a comparison, so that bars of one length mean the same memory; bytes and
// M_a apart.
struct MemoryScales
{
    double bytes = 1, stash = 1;

    double of(const RunView& view) const { return view.hasMemory() ? bytes : stash; }
};
MemoryScales memoryScales(const CompareLayout& layout);

// The bars stand under the key numbers, in the right column of a row; `column` is that of the row.
// Empty: no room for them.
QRectF compareMemoryArea(const CompareRow& row, const QRectF& column);
// Of one device within `area`, with the space to its neighbour.
QRectF compareMemorySlot(const CompareRow& row, const QRectF& area, int device);
void paintCompareMemory(const ComparePaint& paint, const MemoryScales& scales,
                        const QRectF& column);

} // namespace app
