#pragma once

#include "app/shell/page.h"

namespace app {

// The page that predicts other schemes, and changed times, from the measured times of a run.
Page* makeWhatIf(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document);

} // namespace app
