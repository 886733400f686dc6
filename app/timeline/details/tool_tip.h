#pragma once

#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QStringList>

namespace app {

// The tooltip of an op, a bubble or a device: the head of its details, as rich text.
QString toolTipText(const RunView& view, const Selection& selection);
// The tooltip of an NVTX range: text, duration and op.
QString rangeToolTip(const RunView& view, const HostRange& range);

// Rich text with the title and the length in one line, and `lines` below.
QString toolTipPage(const QString& title, const QString& length, const QStringList& lines);

} // namespace app
