#pragma once

#include "app/figures/export_settings.h"
#include "profiler/figure/checks.h"

#include <QStringList>

#include <atomic>
#include <memory>
#include <vector>

namespace app {

// A figure, and the results of its print checks.
struct FigureDraft
{
    profiler::Scene scene;
    std::vector<profiler::FigureCheck> checks;
};

// Draws a figure of the runs and makes the checks that do not depend on a file. `notes` has one
// list per run. The notes are drawn if the settings enable them and the figure shows measured
// times.
engine::Result<FigureDraft> draftFigure(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                                        const ExportSettings& settings,
                                        const std::vector<std::vector<engine::Note>>& notes = {});

// Renders the figure as PDF twice and checks that the font is embedded and that both files are
// equal. Takes up to a second for a large figure. Can be called in any thread.
engine::Result<std::vector<profiler::FigureCheck>> checkPdf(const profiler::Scene& scene, int dpi);

// The runs of a figure and their files.
struct FigureRuns
{
    std::vector<std::shared_ptr<const engine::Run>> runs;
    // The file of each run, or "". If a run has no file, the figure cannot have a recipe.
    QStringList files;
};

// Returns the names of the files that an export writes: one for each chosen format, and the recipe.
QStringList exportedFiles(const ExportSettings& settings);
// Renders all chosen formats, then writes the files and returns their names. Stops at the first
// failure. If the export is cancelled before the first file is written, fails and changes no file.
// `scene` must be the figure of `runs` with these settings. Can be called in any thread.
engine::Result<QStringList> exportFigure(const profiler::Scene& scene,
                                         const ExportSettings& settings, const FigureRuns& runs,
                                         const std::atomic<bool>& isCancelled);

} // namespace app
