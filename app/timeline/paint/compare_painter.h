#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/compare_layout.h"

class QPainter;

namespace app {

// One row of a comparison and where it is drawn. `top` is the row's y on the painter.
struct ComparePaint
{
    QPainter& painter;
    const CompareLayout& layout;
    const CompareRow& row;
    const CompareRow* baseline; // nullptr: the baseline has another unit, or is this row
    const BoxColours& colours;
    TimeAxis axis;
    double top = 0;
};

void paintCompareLanes(const ComparePaint& paint);
// Draws the end marker and the gap to the baseline.
void paintCompareEnd(const ComparePaint& paint);
void paintCompareHeader(const ComparePaint& paint); // draws name and devices, 140 pixels wide
// Draws iteration time, bubble, peak, and the difference if it fits.
void paintCompareNumbers(const ComparePaint& paint, const QRectF& column);
// Returns the height of the key numbers, measured from the top of the row.
double compareNumbersHeight(const CompareRow& row);

// The ruler in the unit of the row's group. Its origin is the start of the iteration.
RulerScale compareScale(const CompareRow& row, const TimeAxis& axis);
Scale compareTime(const CompareLayout& layout, const CompareRow& row);

} // namespace app
