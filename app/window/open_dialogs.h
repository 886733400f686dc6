#pragma once

#include "app/window/main_window.h"

namespace app {

// Asks for files of this kind and opens them in the window. Does not wait for the answer.
void askForFiles(MainWindow& window, FileKind kind);

} // namespace app
