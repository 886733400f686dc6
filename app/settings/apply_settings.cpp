#include "app/settings/apply_settings.h"

#include "app/ui/setting_table.h"
#include "app/ui/settings.h"

#include <cstring>

namespace app {

void applyLookSettings(const Settings& settings, ThemeController& theme,
                       ThemeController::Choice choice)
{
    theme.setLook(choice, settings.value(key::kPalette).toString(),
                  settings.value(key::kTextSize).toInt() / 100.0);
    theme.setUnits(settings.units());
}

void applySetting(const char* key, const Settings& settings, ThemeController& theme)
{
    const bool isTheme = std::strcmp(key, key::kTheme) == 0;
    applyLookSettings(settings, theme, isTheme ? settings.theme() : theme.choice());
}

} // namespace app
