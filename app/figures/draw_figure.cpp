#include "app/figures/draw_figure.h"

#include "app/figures/schematic.h"
#include "app/figures/write_figure.h"
#include "engine/base/process.h"
#include "profiler/analysis/metrics.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"

#include <QFontDatabase>

#include <fmt/format.h>

#include <algorithm>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

Result<std::vector<engine::Run>> readRuns(const FigureRequest& request)
{
    std::vector<engine::Run> runs;
    for (const QString& file : request.runs) {
        std::string warning;
        auto run = profiler::readRun(file.toStdString(), &warning);
        if (!warning.empty())
            engine::printError(fmt::format("note: {}\n", warning));
        if (run)
            if (const auto hasOps = profiler::checkHasOps(*run, file.toStdString()); !hasOps)
                return tl::unexpected(hasOps.error());
        if (run && request.times == FigureTimes::Schematic)
            run = schematic(*run);
        if (!run)
            return tl::unexpected(run.error());
        runs.push_back(*std::move(run));
    }
    return runs;
}

Result<profiler::Scene> layOut(const FigureRequest& request, const std::vector<engine::Run>& runs)
{
    std::vector<const engine::Run*> pointers;
    pointers.reserve(runs.size());
    for (const engine::Run& run : runs)
        pointers.push_back(&run);
    std::vector<std::vector<engine::Note>> notes;
    for (const QString& file : request.options.notes ? request.runs : QStringList()) {
        auto read = profiler::readNotes(file.toStdString());
        if (!read)
            return tl::unexpected(read.error());
        notes.push_back(*std::move(read));
    }
    auto scene = profiler::layoutFigure(pointers, request.options, notes);
    if (scene && !QFontDatabase::families().contains(QString::fromStdString(scene->font)))
        return fail(Error::Code::NotFound,
                    fmt::format("fontconfig does not find the font '{}'; install the package "
                                "fonts-roboto-unhinted, or use another font with --font",
                                scene->font));
    return scene;
}

Result<DrawnRun> numbersOf(const engine::Run& run, int iteration)
{
    const auto metrics = profiler::metrics(run, iteration);
    if (!metrics)
        return tl::unexpected(metrics.error());
    DrawnRun drawn{run.info.label, static_cast<double>(metrics->duration), metrics->bubbleRatio,
                   std::nullopt};
    for (const profiler::DeviceMetrics& device : metrics->devices) {
        if (device.peakBytes)
            drawn.peak = std::max(drawn.peak.value_or(0), static_cast<double>(*device.peakBytes));
    }
    return drawn;
}

} // namespace

Result<DrawnFigure> drawFigure(const FigureRequest& request)
{
    const auto runs = readRuns(request);
    if (!runs)
        return tl::unexpected(runs.error());
    const auto scene = layOut(request, *runs);
    if (!scene)
        return tl::unexpected(scene.error());
    DrawnFigure figure;
    figure.width = scene->width / profiler::kPointsPerInch;
    figure.height = scene->height / profiler::kPointsPerInch;
    for (const QString& output : request.outputs) {
        auto bytes = renderFigure(*scene, *figureFormat(output), request.dpi);
        if (!bytes)
            return tl::unexpected(bytes.error());
        figure.files.push_back(*std::move(bytes));
    }
    for (const engine::Run& run : *runs) {
        auto numbers = numbersOf(run, request.options.iteration);
        if (!numbers)
            return tl::unexpected(numbers.error());
        figure.runs.push_back(*std::move(numbers));
        figure.infos.push_back(run.info);
    }
    return figure;
}

} // namespace app
