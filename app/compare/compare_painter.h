#pragma once

#include "app/compare/compare_layout.h"
#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/ruler_painter.h"

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

// Draws a line of facts about the run, and its devices with paintCompareDevices().
void paintCompareLanes(const ComparePaint& paint);
void paintCompareDevices(const ComparePaint& paint);
// Draws the boxes of the baseline as outlines over the lanes of the run. Draws nothing if the
// numbers of devices differ.
void paintCompareGhost(const ComparePaint& paint);
// Draws the end marker and the gap to the baseline.
void paintCompareEnd(const ComparePaint& paint);
void paintCompareHeader(const ComparePaint& paint); // draws name and devices, 140 pixels wide
// Draws "device 0" beside each lane, right-aligned at `right`.
void paintCompareDeviceNames(const ComparePaint& paint, double right);
// Draws iteration time, bubble, peak, and the difference if it fits.
void paintCompareNumbers(const ComparePaint& paint, const QRectF& column);
// Returns the height of the key numbers, measured from the top of the row.
double compareNumbersHeight(const CompareRow& row);

QString comparePeak(const CompareRow& row);     // "16.4 MiB", "5.0 Mₐ"; the row has metrics
QString compareSubtitle(const CompareRow& row); // "D 4, N 8, v 2, emulated"
// Returns the x at which the baseline ends, on the axis of the row's run.
double baselineEnd(const ComparePaint& paint);

// The ruler in the unit of the row's group. It counts from the instant at which runs are aligned.
RulerScale compareScale(const CompareLayout& layout, const CompareRow& row, const TimeAxis& axis);
Scale compareTime(const CompareLayout& layout, const CompareRow& row);

} // namespace app
