#pragma once

#include <Qt>

namespace app {

// Roles that DataTable's delegate draws in addition to a cell's text.

// double 0..1: a neutral bar left of the number
inline constexpr int kShareRole = Qt::UserRole + 1;
// QString: a small difference right of the value, as "+4.0". Verdict: the colour of the difference.
inline constexpr int kDifferenceRole = Qt::UserRole + 2, kVerdictRole = Qt::UserRole + 3;
// bool: strong for summary rows and cells, hint for muted text, span for a cell over the rest of
// its row.
inline constexpr int kStrongRole = Qt::UserRole + 4, kHintRole = Qt::UserRole + 5,
                     kSpanRole = Qt::UserRole + 6;
// const Thumbnail*: drawn at the left; nullptr draws an empty frame. double 0..1: its share of the
// width.
inline constexpr int kThumbnailRole = Qt::UserRole + 7, kThumbnailWidthRole = Qt::UserRole + 8;
// bool: the text is an operation name, drawn with fixed pitch.
inline constexpr int kCodeRole = Qt::UserRole + 9;
// int, a KernelKind: draws a swatch in its colour at the left.
inline constexpr int kKernelKindRole = Qt::UserRole + 10;

enum class Verdict : int { Neutral, Better, Worse };

} // namespace app
