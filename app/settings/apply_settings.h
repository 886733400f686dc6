#pragma once

#include "app/ui/theme.h"

namespace app {

class Settings;

// Applies the palette, the text size and the units of the settings, and the theme `choice`, which
// may come from the command line instead of the settings.
void applyLookSettings(const Settings& settings, ThemeController& theme,
                       ThemeController::Choice choice);

// Applies a changed setting if it affects the look. All other settings are read when they are used.
void applySetting(const char* key, const Settings& settings, ThemeController& theme);

} // namespace app
