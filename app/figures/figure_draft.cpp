#include "app/figures/figure_draft.h"

#include "app/figures/figure_recipe.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "profiler/predict/predict.h"

#include <utility>
#include <vector>

namespace app {
namespace {

using engine::Result;
using profiler::FigureCheck;

Result<profiler::Scene> layOut(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                               const ExportSettings& settings,
                               const std::vector<std::vector<engine::Note>>& notes)
{
    std::vector<engine::Run> schematics;
    std::vector<const engine::Run*> pointers;
    schematics.reserve(runs.size());
    for (const auto& run : runs) {
        if (settings.times == FigureTimes::Measured) {
            pointers.push_back(run.get());
            continue;
        }
        auto drawn = TRY(profiler::schematic(*run));
        schematics.push_back(std::move(drawn));
        pointers.push_back(&schematics.back());
    }
    const bool isMeasured = settings.times == FigureTimes::Measured;
    return profiler::layoutFigure(pointers, settings.options,
                                  isMeasured ? notes : std::vector<std::vector<engine::Note>>());
}

FigureCheck fontCheck(const QByteArray& pdf)
{
    if (pdf.contains("/FontFile"))
        return {true, "fonts embedded"};
    return {false, "the font is not embedded"};
}

FigureCheck repeatCheck(const QByteArray& first, const QByteArray& second)
{
    if (first == second)
        return {true, "identical bytes in two exports"};
    return {false, "different bytes in two exports"};
}

Result<void> saveRecipe(const FigureRequest& request,
                        const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    FigureRecipe recipe{request, {}};
    for (const auto& run : runs) {
        auto numbers = TRY(numbersOf(*run, request.options.iteration));
        recipe.drawn.push_back(std::move(numbers));
    }
    return saveRecipe(recipeOf(request.outputs.front()), recipe);
}

} // namespace

Result<FigureDraft> draftFigure(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                                const ExportSettings& settings,
                                const std::vector<std::vector<engine::Note>>& notes)
{
    auto scene = TRY(layOut(runs, settings, notes));
    FigureDraft draft{std::move(scene), {}};
    draft.checks = profiler::checkFigure(draft.scene, settings.options);
    return draft;
}

Result<std::vector<FigureCheck>> checkPdf(const profiler::Scene& scene, int dpi)
{
    const auto first = TRY(renderFigure(scene, FigureFormat::Pdf, dpi));
    const auto second = TRY(renderFigure(scene, FigureFormat::Pdf, dpi));
    return std::vector{fontCheck(first), repeatCheck(first, second)};
}

QStringList exportedFiles(const ExportSettings& settings)
{
    QStringList files;
    for (const FigureFormat format : settings.formats())
        files << settings.file(format);
    if (settings.recipe && !files.isEmpty())
        files << recipeOf(files.front());
    return files;
}

Result<QStringList> exportFigure(const profiler::Scene& scene, const ExportSettings& settings,
                                 const FigureRuns& runs, const std::atomic<bool>& isCancelled)
{
    FigureRequest request;
    static_cast<FigureSettings&>(request) = settings;
    request.runs = runs.files;
    std::vector<QByteArray> drawn;
    for (const FigureFormat format : settings.formats()) {
        auto bytes = TRY(renderFigure(scene, format, settings.dpi));
        if (isCancelled)
            return engine::fail(engine::Error::Code::Cancelled, "the export was cancelled");
        request.outputs << settings.file(format);
        drawn.push_back(std::move(bytes));
    }
    for (std::size_t k = 0; k < drawn.size(); ++k) {
        const QString& file = request.outputs[static_cast<qsizetype>(k)];
        TRY(engine::saveFile(file.toStdString(), drawn[k].toStdString(),
                             engine::IfExists::Replace));
    }
    if (settings.recipe)
        TRY(saveRecipe(request, runs.runs));
    return exportedFiles(settings);
}

} // namespace app
