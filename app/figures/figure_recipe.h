#pragma once

#include "app/figures/draw_figure.h"

namespace app {

// The settings of a figure, and the numbers of its runs when the figure was drawn. A recipe is a
// TOML file beside the figure. Its paths are relative to the recipe, so that a folder with runs and
// figures can be moved.
struct FigureRecipe
{
    FigureRequest request; // runs and outputs have absolute paths
    std::vector<DrawnRun> drawn;
};

constexpr const char* kRecipeEnding = ".figure.toml";
QString recipeOf(const QString& figure); // "compare.pdf" -> "compare.figure.toml"

// Fails with Error::Code::InvalidArgument if the file is not a recipe; the message names the key.
engine::Result<FigureRecipe> readRecipe(const QString& file);
engine::Result<void> saveRecipe(const QString& file, const FigureRecipe& recipe);

// Describes how the numbers of a run changed:
// "iteration 29.8 -> 28.1 ms (-5.7 %), bubble 30.6 -> 28.0 %". Returns "" if the shown digits are
// the same. `info` is the current info of the run, which states its units.
QString changeText(const DrawnRun& before, const DrawnRun& now, const engine::RunInfo& info);

} // namespace app
