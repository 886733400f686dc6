#pragma once

#include "app/figures/figure_fields.h"

#include <QByteArray>
#include <QDir>
#include <QStringList>

#include <optional>
#include <string>
#include <vector>

namespace app {

// The parsed arguments of `bubblescope figure`.
struct FigureRequest : FigureSettings
{
    QStringList runs, outputs; // if `update` is set, `runs` has recipes and folders
    bool recipe = false;       // whether to write a FigureRecipe beside the first output
    bool update = false;       // whether to redraw the figures of the recipes in `runs`
    bool force = false, help = false;
};

// Parses the arguments after "figure". Fails with Error::Code::InvalidArgument; the message names
// the option.
engine::Result<FigureRequest> parseFigureRequest(const QStringList& arguments);
// Fails unless all outputs are in the folder of their recipe or below, because a recipe may come
// from someone else and `--update` replaces its outputs.
engine::Result<void> checkRecipeOutputs(const QStringList& outputs, const QDir& folder);
// Returns the options that parseFigureRequest() turns into these settings.
QStringList figureArguments(const FigureSettings& settings);
QString figureHelp(); // has lines of at most 100 columns

// The numbers that a run had when a figure of it was drawn.
struct DrawnRun
{
    std::string label;
    double iteration = 0; // iteration time in ticks of the run
    double bubble = 0;    // bubble ratio, from 0 to 1
    // Peak memory of the device with the highest peak, in bytes; nullopt if no memory was recorded.
    std::optional<double> peak;

    friend bool operator==(const DrawnRun&, const DrawnRun&) = default;
};

struct DrawnFigure
{
    double width = 0, height = 0;  // inches
    std::vector<QByteArray> files; // contents of the files, in the order of FigureRequest::outputs
    std::vector<DrawnRun> runs;
    // The run info of each run, which states the units of its numbers.
    std::vector<engine::RunInfo> infos;
};

// Returns the numbers of one iteration of a run. -1 stands for the reported iteration.
engine::Result<DrawnRun> numbersOf(const engine::Run& run, int iteration);

// Reads the runs and draws the figure in all formats, without writing a file. Needs a
// QGuiApplication, but no screen.
engine::Result<DrawnFigure> drawFigure(const FigureRequest& request);

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
