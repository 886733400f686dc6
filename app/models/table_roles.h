#pragma once

#include <Qt>

namespace app {

// What a table cell carries beside its text; DataTable's delegate draws it.
enum TableRole : int {
    kShareRole = Qt::UserRole + 1, // double 0..1: a neutral bar left of the number
    kDifferenceRole,               // QString: "+4.0", small, right of the value
    kVerdictRole,                  // Verdict, of the difference
    kStrongRole,                   // bool: the row or cell that sums up
    kHintRole,                     // bool: said quietly
    kSpanRole,                     // bool: this cell takes the rest of its row
    kThumbnailRole,                // const Thumbnail*: at the left; null draws an empty frame
    kThumbnailWidthRole,           // double 0..1: of the room for it
    kCodeRole,                     // bool: an operation name, fixed pitch
    kKernelKindRole,               // int, KernelKind: a swatch in its colour at the left
};

enum class Verdict : int { Neutral, Better, Worse };

} // namespace app
