#pragma once

#include "app/timeline/view/range_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QStringList>

namespace app {

// Rich text for the pointer at rest: the op's name and length, what it is, where and when, what it
// waited for.
QString toolTipText(const RunView& view, const Selection& selection);
// An NVTX range: its words, how long it took, whose it is.
QString rangeToolTip(const RunView& view, const HostRange& range);

// Title and length on one line, the rest under it; rich text.
QString toolTipPage(const QString& title, const QString& length, const QStringList& lines);

} // namespace app
