#pragma once

#include "app/shell/page.h"

namespace app {

// The page that compares micro-batch sizes with and without BPipe.
Page* makeEstimator(const ThemeController& theme);

} // namespace app
