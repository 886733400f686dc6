#pragma once

#include "app/pages/command_line.h"

namespace app {

class MainWindow;

// Renders the window as `line` asks, once its pages had the time to read and simulate, and ends the
// program. For packaging/screenshots.sh.
void scheduleScreenshot(MainWindow& window, const CommandLine& line);

} // namespace app
