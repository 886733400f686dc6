#include "app/figures/draw_figure.h"

#include "app/figures/schematic.h"
#include "app/figures/write_figure.h"
#include "engine/base/process.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
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

Result<engine::Run> readExperiment(const std::string& file, FigureTimes times)
{
    if (times != FigureTimes::Schematic)
        return fail(
            Error::Code::InvalidArgument,
            fmt::format("{} is an experiment without recorded times; add --times schematic, "
                        "or run it first: bscope experiment {} -o RUN.sqlite",
                        file, file));
    return engine::readFile(file)
        .and_then([](const std::string& text) { return engine::experimentFromToml(text); })
        .and_then([](const engine::Experiment& experiment) { return schematic(experiment); })
        .map_error([&](const Error& error) {
            return Error{error.code, fmt::format("{}: {}", file, error.message)};
        });
}

Result<engine::Run> readRun(const std::string& file, FigureTimes times)
{
    if (file.ends_with(".toml"))
        return readExperiment(file, times);
    std::string warning;
    auto run = profiler::readRun(file, &warning);
    if (!warning.empty())
        engine::printError(fmt::format("note: {}\n", warning));
    if (!run)
        return run;
    TRY(profiler::checkHasOps(*run, file));
    return times == FigureTimes::Schematic ? schematic(*run) : run;
}

Result<std::vector<engine::Run>> readRuns(const FigureRequest& request)
{
    std::vector<engine::Run> runs;
    for (const QString& file : request.runs) {
        auto run = TRY(readRun(file.toStdString(), request.times));
        runs.push_back(std::move(run));
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
        auto read = TRY(profiler::readNotes(file.toStdString()));
        notes.push_back(std::move(read));
    }
    auto scene = profiler::layoutFigure(pointers, request.options, notes);
    if (scene && !QFontDatabase::families().contains(QString::fromStdString(scene->font)))
        return fail(Error::Code::NotFound,
                    fmt::format("fontconfig does not find the font '{}'; install the package "
                                "fonts-roboto-unhinted, or use another font with --font",
                                scene->font));
    return scene;
}

} // namespace

Result<DrawnRun> numbersOf(const engine::Run& run, int iteration)
{
    const auto metrics = TRY(profiler::metrics(run, iteration));
    DrawnRun drawn{run.info.label, static_cast<double>(metrics.duration), metrics.bubbleRatio,
                   std::nullopt};
    for (const profiler::DeviceMetrics& device : metrics.devices) {
        if (device.peakBytes)
            drawn.peak = std::max(drawn.peak.value_or(0), static_cast<double>(*device.peakBytes));
    }
    return drawn;
}

Result<DrawnFigure> drawFigure(const FigureRequest& request)
{
    const auto runs = TRY(readRuns(request));
    const auto scene = TRY(layOut(request, runs));
    DrawnFigure figure;
    figure.width = scene.width / profiler::kPointsPerInch;
    figure.height = scene.height / profiler::kPointsPerInch;
    for (const QString& output : request.outputs) {
        auto bytes = TRY(renderFigure(scene, *figureFormat(output), request.dpi));
        figure.files.push_back(std::move(bytes));
    }
    for (const engine::Run& run : runs) {
        auto numbers = TRY(numbersOf(run, request.options.iteration));
        figure.runs.push_back(std::move(numbers));
        figure.infos.push_back(run.info);
    }
    return figure;
}

} // namespace app
