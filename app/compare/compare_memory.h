#pragma once

#include "app/compare/compare_painter.h"

namespace app {

// The memory scales of a comparison, shared by all its runs: one for bytes, one for M_a.
struct MemoryScales
{
    double bytes = 1, stash = 1;

    double of(const RunView& view) const { return view.hasMemory() ? bytes : stash; }
};
MemoryScales memoryScales(const CompareLayout& layout);

// Returns the area of the memory bars, below the key numbers in the right column of a row; `column`
// is the area of that column. Empty if the bars do not fit.
QRectF compareMemoryArea(const CompareRow& row, const QRectF& column);
// Returns the part of `area` for one device, including the gap to the next device.
QRectF compareMemorySlot(const CompareRow& row, const QRectF& area, int device);
void paintCompareMemory(const ComparePaint& paint, const MemoryScales& scales,
                        const QRectF& column);

} // namespace app
