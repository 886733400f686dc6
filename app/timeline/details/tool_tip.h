#pragma once

#include "app/timeline/view/range_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QStringList>

namespace app {

// Tooltip as rich text: the op's name and duration, description, place and time, and the op that it
// waited for.
QString toolTipText(const RunView& view, const Selection& selection);
// Tooltip of an NVTX range: text, duration and op.
QString rangeToolTip(const RunView& view, const HostRange& range);

// Title and length on one line, the rest under it; rich text.
QString toolTipPage(const QString& title, const QString& length, const QStringList& lines);

} // namespace app
