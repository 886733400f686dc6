#pragma once

#include "app/window/command_line.h"

namespace app {

class MainWindow;

// Opens the page or dialog of --page. For a page about a run, the page of that run must be current.
void openPage(MainWindow& window, const CommandLine& line);

// Opens the page, renders the window as `line` requests and quits. Waits until the pages have read
// and simulated their runs. For packaging/screenshots.sh.
void scheduleScreenshot(MainWindow& window, const CommandLine& line);

} // namespace app
