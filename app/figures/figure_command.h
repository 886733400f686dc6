#pragma once

namespace app {

// `bubblescope figure RUN.sqlite... -o FILE...`: a figure without a window or a screen. argv[1] is
// "figure". Makes the QGuiApplication itself, so none may exist. Returns the exit status: 0 done,
// 1 the work failed, 2 wrong usage; errors go to standard error as one line.
int figureCommand(int argc, char** argv);

} // namespace app
