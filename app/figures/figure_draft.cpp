#include "app/figures/figure_draft.h"

#include "app/figures/schematic.h"
#include "engine/base/new_file.h"

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
        auto drawn = schematic(*run);
        if (!drawn)
            return tl::unexpected(drawn.error());
        schematics.push_back(*std::move(drawn));
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

} // namespace

Result<FigureDraft> draftFigure(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                                const ExportSettings& settings,
                                const std::vector<std::vector<engine::Note>>& notes)
{
    auto scene = layOut(runs, settings, notes);
    if (!scene)
        return tl::unexpected(scene.error());
    FigureDraft draft{*std::move(scene), {}};
    draft.checks = profiler::checkFigure(draft.scene, settings.options);
    const auto first = renderFigure(draft.scene, FigureFormat::Pdf, settings.dpi);
    const auto second = renderFigure(draft.scene, FigureFormat::Pdf, settings.dpi);
    if (!first || !second)
        return tl::unexpected(first ? second.error() : first.error());
    draft.checks.push_back(fontCheck(*first));
    draft.checks.push_back(repeatCheck(*first, *second));
    return draft;
}

Result<QStringList> exportFigure(const profiler::Scene& scene, const ExportSettings& settings)
{
    std::vector<std::pair<QString, QByteArray>> drawn;
    for (const FigureFormat format : settings.formats()) {
        auto bytes = renderFigure(scene, format, settings.dpi);
        if (!bytes)
            return tl::unexpected(bytes.error());
        drawn.emplace_back(settings.file(format), *std::move(bytes));
    }
    QStringList files;
    for (const auto& [file, bytes] : drawn) {
        if (auto saved
            = engine::saveFile(file.toStdString(), bytes.toStdString(), engine::IfExists::Replace);
            !saved)
            return tl::unexpected(saved.error());
        files << file;
    }
    return files;
}

} // namespace app
