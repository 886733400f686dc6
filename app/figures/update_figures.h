#pragma once

#include <QStringList>

namespace app {

// Draws the figures of all recipes (FigureRecipe) in the files and folders again, replaces those
// whose bytes differ, and prints the changes. A recipe that fails is reported and does not stop the
// others. Returns the exit status: 0 if all figures could be drawn, otherwise 1.
int updateFigures(const QStringList& filesAndFolders);

} // namespace app
