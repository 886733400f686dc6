#include "app/figures/figure_command.h"

#include "app/figures/figure_request.h"
#include "app/figures/schematic.h"
#include "app/figures/write_figure.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"

#include <QFontDatabase>
#include <QGuiApplication>

#include <fmt/format.h>

#include <cstdio>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

int report(const Error& error, int status)
{
    engine::printError(fmt::format("bubblescope: {}\n", error.message));
    return status;
}

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

Result<profiler::Scene> layOut(const FigureRequest& request)
{
    const auto runs = readRuns(request);
    if (!runs)
        return tl::unexpected(runs.error());
    std::vector<const engine::Run*> pointers;
    for (const engine::Run& run : *runs)
        pointers.push_back(&run);
    std::vector<std::vector<engine::Note>> notes;
    for (const QString& file : request.options.notes ? request.runs : QStringList()) {
        auto read = profiler::readNotes(file.toStdString());
        if (!read)
            return tl::unexpected(read.error());
        notes.push_back(*std::move(read));
    }
    return profiler::layoutFigure(pointers, request.options, notes);
}

// Creates all output files before anything is drawn, so that a file that cannot be written fails at
// once.
Result<std::vector<engine::NewFile>> createOutputs(const FigureRequest& request)
{
    std::vector<std::filesystem::path> inputs;
    for (const QString& run : request.runs)
        inputs.emplace_back(run.toStdString());
    std::vector<engine::NewFile> files;
    for (const QString& output : request.outputs) {
        auto file = engine::NewFile::beside(
            output.toStdString(),
            request.force ? engine::IfExists::Replace : engine::IfExists::Refuse, inputs);
        if (!file)
            return tl::unexpected(file.error());
        files.push_back(*std::move(file));
    }
    return files;
}

Result<void> write(const FigureRequest& request)
{
    auto files = createOutputs(request);
    if (!files)
        return tl::unexpected(files.error());
    const auto scene = layOut(request);
    if (!scene)
        return tl::unexpected(scene.error());
    const QString family = QString::fromStdString(scene->font);
    if (!QFontDatabase::families().contains(family))
        return fail(Error::Code::NotFound,
                    fmt::format("fontconfig does not find the font '{}'; install the package "
                                "fonts-roboto-unhinted, or use another font with --font",
                                scene->font));
    for (std::size_t i = 0; i < files->size(); ++i) {
        const QString& file = request.outputs[static_cast<qsizetype>(i)];
        const auto bytes = renderFigure(*scene, *figureFormat(file), request.dpi);
        if (!bytes)
            return tl::unexpected(bytes.error());
        if (auto saved = engine::saveFile(std::move((*files)[i]), bytes->toStdString()); !saved)
            return saved;
        engine::printText(fmt::format("{}  {:.2f} x {:.2f} in\n", file.toStdString(),
                                      scene->width / profiler::kPointsPerInch,
                                      scene->height / profiler::kPointsPerInch));
    }
    return {};
}

// Drops Qt's warnings about the environment ("XDG_RUNTIME_DIR not set"), which do not concern the
// user.
void dropRemarks(QtMsgType type, const QMessageLogContext&, const QString& message)
{
    if (type == QtFatalMsg)
        fmt::print(stderr, "bubblescope: {}\n", message.toStdString());
}

} // namespace

int figureCommand(int argc, char** argv)
{
    qInstallMessageHandler(dropRemarks);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication application(argc, argv);
    const auto request = parseFigureRequest(QGuiApplication::arguments().mid(2));
    if (!request)
        return report(request.error(), 2);
    if (request->help) {
        engine::printText(figureHelp().toStdString());
        return 0;
    }
    const auto written = write(*request);
    return written ? 0 : report(written.error(), 1);
}

} // namespace app
