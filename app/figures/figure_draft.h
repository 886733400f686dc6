#pragma once

#include "app/figures/export_settings.h"
#include "profiler/figure/checks.h"

#include <QStringList>

#include <memory>
#include <vector>

namespace app {

// A figure as it will be written, and whether it is fit for print. Checks the bytes of the file:
// searches the PDF for its fonts and renders it twice.
struct FigureDraft
{
    profiler::Scene scene;
    std::vector<profiler::FigureCheck> checks;
};

// `notes`: [run]; drawn if the settings enable them, with recorded times.
engine::Result<FigureDraft> draftFigure(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                                        const ExportSettings& settings,
                                        const std::vector<std::vector<engine::Note>>& notes = {});

// Draws all chosen formats, then writes them; stops at the first failure. Returns the files.
engine::Result<QStringList> exportFigure(const profiler::Scene& scene,
                                         const ExportSettings& settings);

} // namespace app
