#pragma once

#include <QStringList>

namespace app {

// Redraws the figures of all recipes (FigureRecipe) in the given files and folders, replaces the
// figures whose bytes differ, and prints the changes. If a recipe fails, reports it and still draws
// the others. Returns the exit status: 0 if all figures could be drawn, otherwise 1.
int updateFigures(const QStringList& filesAndFolders);

} // namespace app
