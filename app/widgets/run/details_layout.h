#pragma once

#include "app/models/theme.h"
#include "app/timeline/details/details.h"

#include <functional>

class QWidget;

namespace app {

// Creates a widget that shows `details`, without a parent. A clicked link calls `follow`.
QWidget* layOutDetails(const ThemeController& theme, const Details& details,
                       const std::function<void(const Selection&)>& follow);

} // namespace app
