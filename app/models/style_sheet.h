#pragma once

#include "app/models/theme.h"

#include <QPalette>
#include <QString>

namespace app {

// The one style sheet of the window: resources/style/window.qss with its @tokens replaced by the
// colours of the theme (@surface, @line-strong, @text-2 ...).
QString styleSheet(const Theme& theme);

// The colours that widgets without a rule fall back to.
QPalette chromePalette(const Theme& theme);

} // namespace app
