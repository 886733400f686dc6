#pragma once

#include "app/timeline/details/details.h"
#include "app/ui/theme.h"

#include <functional>

class QWidget;

namespace app {

// Creates a widget without a parent that shows `details`. `follow` is called when a link is
// clicked.
QWidget* layOutDetails(const ThemeController& theme, const Details& details,
                       const std::function<void(const Selection&)>& follow);

} // namespace app
