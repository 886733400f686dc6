#pragma once

#include "app/timeline/run_view.h"
#include "app/timeline/selection.h"

#include <QString>

namespace app {

// Rich text for the pointer at rest: the op's name and length, what it is, where and when, what it
// waited for.
QString toolTipText(const RunView& view, const Selection& selection);

} // namespace app
