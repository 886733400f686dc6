#pragma once

#include <QStringList>

namespace app {

// Draws again the figures of all recipes (FigureRecipe) in the given files and folders, replaces
// the figures whose bytes differ, and prints the changes. If a recipe fails, it is reported and the
// others are still drawn. Returns the exit status: 0 if all figures could be drawn, otherwise 1.
int updateFigures(const QStringList& filesAndFolders);

} // namespace app
