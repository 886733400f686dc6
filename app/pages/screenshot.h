#pragma once

#include "app/pages/command_line.h"

namespace app {

class MainWindow;

// Renders the window as `line` requests, after its pages have read and simulated, and quits. For
// packaging/screenshots.sh.
void scheduleScreenshot(MainWindow& window, const CommandLine& line);

} // namespace app
