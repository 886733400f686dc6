#pragma once

#include "app/figures/figure_fields.h"

#include <QDir>
#include <QStringList>

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

} // namespace app
