#pragma once

#include "app/ui/table_roles.h"
#include "app/ui/theme.h"

class QModelIndex;

namespace app {

// Returns the verdict on a value that exceeds `baseline` by `difference`. A positive difference
// gets `more`, a negative one the opposite. A difference gets Neutral if it is at most 1 % of the
// baseline or is 0 when rounded to `decimals`.
Verdict differenceVerdict(double difference, double baseline, int decimals,
                          Verdict more = Verdict::Worse);

// The colour of a text with this verdict.
QColor verdictInk(const Chrome& chrome, Verdict verdict, const QColor& neutral);
// The colour of a cell with the verdict of its kVerdictRole.
QColor verdictInk(const Chrome& chrome, const QModelIndex& cell, const QColor& neutral);

} // namespace app
