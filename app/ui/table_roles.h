#pragma once

#include <QMetaType>
#include <Qt>

namespace app {

// Roles that DataTable's delegate draws in addition to a cell's text.

// A double from 0 to 1: draws a neutral bar of this share at the left of the number.
inline constexpr int kShareRole = Qt::UserRole + 1;
// kDifferenceRole is a QString, such as "+4.0", which is drawn small at the right of the value.
// kVerdictRole is a Verdict, which selects the colour of the difference, or of the value if it has
// no difference.
inline constexpr int kDifferenceRole = Qt::UserRole + 2, kVerdictRole = Qt::UserRole + 3;
// A QString, drawn small on a second line: below the difference if the column has differences,
// otherwise below the text, elided in the middle. Rows with second lines need kTwoLines pixels.
inline constexpr int kBelowRole = Qt::UserRole + 17;
inline constexpr int kTwoLines = 52;
// Two bools: whether the cell is a summary (strong), and whether its text is muted (hint).
// kSpanRole is the number of columns that the cell covers; true: the rest of its row. Spans must
// not overlap. In a header it is a bool: whether cells of the column may have one.
inline constexpr int kStrongRole = Qt::UserRole + 4, kHintRole = Qt::UserRole + 5,
                     kSpanRole = Qt::UserRole + 6;
// A const Thumbnail*, drawn at the left (nullptr draws an empty frame), and its share of the width
// as a double from 0 to 1.
inline constexpr int kThumbnailRole = Qt::UserRole + 7, kThumbnailWidthRole = Qt::UserRole + 8;
// A bool: the text is the name of an op and is drawn with fixed pitch.
inline constexpr int kCodeRole = Qt::UserRole + 9;
// A KernelKind as int: draws a swatch in its colour at the left.
inline constexpr int kKernelKindRole = Qt::UserRole + 10;

// An Icon as int, drawn at the left in the colour of the text.
inline constexpr int kIconRole = Qt::UserRole + 11;

// An int from 0 to 3: draws three squares at the left, of which this many are filled.
inline constexpr int kLevelRole = Qt::UserRole + 12;

// An Interval, drawn on the scale of the column (by WhatIfTable's delegate).
inline constexpr int kIntervalRole = Qt::UserRole + 13;
// A QString: the value before the user changed it, drawn struck through (by the delegate of stage
// costs).
inline constexpr int kBeforeRole = Qt::UserRole + 14;

// Two bools: the value exceeds its limit and is drawn in the error colour, whatever its verdict; it
// is drawn in the warning colour.
inline constexpr int kExceedsRole = Qt::UserRole + 16, kWarnsRole = Qt::UserRole + 15;

// A value with its 95 % interval, and the value of the baseline; all from 0 to 1.
struct Interval
{
    double least = 0, value = 0, most = 0, baseline = 0;
    bool isKnown = false; // false: the interval is still being computed
};

enum class Verdict : int { Neutral, Better, Worse };

} // namespace app

Q_DECLARE_METATYPE(app::Interval)
