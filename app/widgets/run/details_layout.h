#pragma once

#include "app/models/theme.h"
#include "app/timeline/details/details.h"

#include <functional>

class QWidget;

namespace app {

// Creates a widget without parent that shows `details`; `follow` is called for a clicked link.
QWidget* layOutDetails(const ThemeController& theme, const Details& details,
                       const std::function<void(const Selection&)>& follow);

} // namespace app
