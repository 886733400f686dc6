#pragma once

namespace app {

// `bubblescope figure RUN.sqlite... -o FILE...`: exports a figure without a window or a screen.
// argv[1] is "figure". Creates the QGuiApplication, so none may exist. Returns the exit status: 0
// success, 1 failure, 2 wrong usage; errors are one line on standard error.
int figureCommand(int argc, char** argv);

} // namespace app
