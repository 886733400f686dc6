#pragma once

#include "app/models/theme.h"
#include "app/timeline/details/details.h"

#include <functional>

class QWidget;

namespace app {

// A widget without parent that shows `details`; `follow` is called when a link is followed.
QWidget* layOutDetails(const ThemeController& theme, const Details& details,
                       const std::function<void(const Selection&)>& follow);

} // namespace app
