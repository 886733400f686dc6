#pragma once

#include <QStringList>

namespace app {

// Redraws the figures of all recipes (FigureRecipe) in the given files and folders, replaces the
// figures whose bytes differ, and prints the changes. If a recipe fails, reports it and still draws
// the others. Returns the exit status: 0 if all figures could be drawn, otherwise 1.
int updateFigures(const QStringList& filesAndFolders);

// Runs `bubblescope figure RUN.sqlite... -o FILE...`, which exports figures without a window or a
// screen. argv[1] is "figure". Creates the QGuiApplication, so none may exist yet. Returns the exit
// status: 0 for success, 1 for a failure, 2 for wrong usage. Errors are one line on standard error.
int figureCommand(int argc, char** argv);

} // namespace app
