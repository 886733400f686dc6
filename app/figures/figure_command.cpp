#include "app/figures/figure_command.h"

#include "app/figures/figure_recipe.h"
#include "app/figures/update_figures.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"

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

// Creates all output files before anything is drawn, so that the command fails at once if a file
// cannot be written.
Result<std::vector<engine::NewFile>> createOutputs(const FigureRequest& request)
{
    std::vector<std::filesystem::path> inputs;
    for (const QString& run : request.runs)
        inputs.emplace_back(run.toStdString());
    std::vector<engine::NewFile> files;
    for (const QString& output : request.outputs) {
        auto file = TRY(engine::NewFile::beside(
            output.toStdString(),
            request.force ? engine::IfExists::Replace : engine::IfExists::Refuse, inputs));
        files.push_back(std::move(file));
    }
    return files;
}

Result<void> write(const FigureRequest& request)
{
    auto files = TRY(createOutputs(request));
    const auto figure = TRY(drawFigure(request));
    for (std::size_t i = 0; i < files.size(); ++i) {
        const QString& file = request.outputs[static_cast<qsizetype>(i)];
        TRY(engine::saveFile(std::move(files[i]), figure.files[i].toStdString()));
        engine::printText(fmt::format("{}  {:.2f} x {:.2f} in\n", file.toStdString(), figure.width,
                                      figure.height));
    }
    if (request.recipe)
        return saveRecipe(recipeOf(request.outputs.front()), {request, figure.runs});
    return {};
}

// Prints only fatal messages of Qt. Its warnings about the environment, such as "XDG_RUNTIME_DIR
// not set", do not concern the user.
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
    if (request->update)
        return updateFigures(request->runs);
    const auto written = write(*request);
    return written ? 0 : report(written.error(), 1);
}

} // namespace app
