#pragma once

#include "app/shell/page.h"
#include "app/ui/theme.h"

namespace app {

// Scales the whole window by the text size, because a larger text alone does not fit into what is
// laid out in pixels. Multiplies QT_SCALE_FACTOR, which Qt reads once: call this before the
// QApplication exists.
void scaleWindow(const Settings& settings);

// Applies the palette and the units of the settings, and the theme `choice`, which
// may come from the command line instead of the settings.
void applyLookSettings(const Settings& settings, ThemeController& theme,
                       ThemeController::Choice choice);

// The page of all settings. Both must outlive it.
Page* makeSettings(ThemeController& theme, Settings& settings);

} // namespace app
