#pragma once

#include <Qt>

namespace app {

// Roles beside a cell's text, drawn by DataTable's delegate.

// double 0..1: a neutral bar left of the number
inline constexpr int kShareRole = Qt::UserRole + 1;
// QString: "+4.0", small, right of the value; Verdict: colour of that difference
inline constexpr int kDifferenceRole = Qt::UserRole + 2, kVerdictRole = Qt::UserRole + 3;
// bool: summary row or cell; muted text; cell spans the rest of its row
inline constexpr int kStrongRole = Qt::UserRole + 4, kHintRole = Qt::UserRole + 5,
                     kSpanRole = Qt::UserRole + 6;
// const Thumbnail*: at the left, null draws an empty frame; double 0..1: share of the width
inline constexpr int kThumbnailRole = Qt::UserRole + 7, kThumbnailWidthRole = Qt::UserRole + 8;
// bool: an operation name, fixed pitch
inline constexpr int kCodeRole = Qt::UserRole + 9;
// int, KernelKind: a swatch in its colour at the left
inline constexpr int kKernelKindRole = Qt::UserRole + 10;

enum class Verdict : int { Neutral, Better, Worse };

} // namespace app
