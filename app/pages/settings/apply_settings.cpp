#include "app/pages/settings/apply_settings.h"

#include "app/models/setting_table.h"
#include "app/models/settings.h"

#include <cstring>

namespace app {

void applyLookSettings(const Settings& settings, ThemeController& theme)
{
    theme.setPalette(settings.value(key::kPalette).toString());
    theme.setTextScale(settings.value(key::kTextSize).toInt() / 100.0);
    theme.setUnits(settings.units());
}

void applySetting(const char* key, const Settings& settings, ThemeController& theme)
{
    if (std::strcmp(key, key::kTheme) == 0)
        theme.setChoice(settings.theme());
    applyLookSettings(settings, theme);
}

} // namespace app
