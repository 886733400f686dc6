#pragma once

namespace app {

class Settings;
class ThemeController;

// Applies the palette, the text size and the units to the window, but not the theme, which the
// command line may override.
void applyLookSettings(const Settings& settings, ThemeController& theme);

// Applies a setting that was changed. Settings without a look are read where they are used.
void applySetting(const char* key, const Settings& settings, ThemeController& theme);

} // namespace app
