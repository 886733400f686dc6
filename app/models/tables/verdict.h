#pragma once

#include "app/models/tables/table_roles.h"
#include "app/models/theme.h"

class QModelIndex;

namespace app {

// The verdict on a difference from `baseline`: `more` or its opposite. Neutral up to 1 % of the
// baseline, and if the difference is shown as 0.
Verdict differenceVerdict(double difference, double baseline, int decimals,
                          Verdict more = Verdict::Worse);

// The colour of a text with this verdict.
QColor verdictInk(const Chrome& chrome, Verdict verdict, const QColor& neutral);
// With the cell's kVerdictRole.
QColor verdictInk(const Chrome& chrome, const QModelIndex& cell, const QColor& neutral);

} // namespace app
