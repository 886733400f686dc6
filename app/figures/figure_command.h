#pragma once

namespace app {

// Runs `bubblescope figure RUN.sqlite... -o FILE...`, which exports figures without a window or a
// screen. argv[1] is "figure". Creates the QGuiApplication, so none may exist yet. Returns the exit
// status: 0 for success, 1 for a failure, 2 for wrong usage. Errors are one line on standard error.
int figureCommand(int argc, char** argv);

} // namespace app
