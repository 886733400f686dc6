#pragma once

#include "app/ui/theme.h"

#include <QPalette>
#include <QString>

namespace app {

// The window's style sheet: resources/style/window.qss with its @tokens replaced by the colours of
// the theme (@surface, @line-strong, @text-2 ...).
QString styleSheet(const Theme& theme);

// Returns the colours of widgets without a style rule.
QPalette chromePalette(const Theme& theme);

} // namespace app
