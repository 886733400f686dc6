#include "app/figures/figure_command.h"

#include "app/figures/figure_recipe.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"

#include <QDirIterator>
#include <QFileInfo>
#include <QGuiApplication>

#include <fmt/format.h>

#include <cstdio>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

// If `path` is a folder, returns the recipes in it and in its subfolders, sorted by name. Otherwise
// returns `path`.
Result<QStringList> recipesIn(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return fail(Error::Code::NotFound,
                    fmt::format("{} does not exist: check the name", path.toStdString()));
    if (!info.isDir())
        return QStringList{path};
    QStringList found;
    QDirIterator files(path, {QLatin1Char('*') + QLatin1String(kRecipeEnding)}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext())
        found << files.next();
    found.sort();
    if (found.isEmpty())
        return fail(Error::Code::NotFound,
                    fmt::format("{} has no file *{}; write one with `bubblescope figure RUN.sqlite "
                                "-o FILE --recipe`",
                                path.toStdString(), kRecipeEnding));
    return found;
}

bool isWrittenAs(const QString& file, const QByteArray& bytes)
{
    QFile existing(file);
    return existing.open(QIODevice::ReadOnly) && existing.readAll() == bytes;
}

// Replaces the output files whose bytes have changed, and returns their names.
Result<QStringList> replaceChanged(const FigureRequest& request, const DrawnFigure& figure)
{
    QStringList names;
    for (std::size_t k = 0; k < figure.files.size(); ++k) {
        const QString& file = request.outputs[static_cast<qsizetype>(k)];
        if (isWrittenAs(file, figure.files[k]))
            continue;
        TRY(engine::saveFile(file.toStdString(), figure.files[k].toStdString(),
                             engine::IfExists::Replace));
        names << QFileInfo(file).fileName();
    }
    return names;
}

// Draws the figure of one recipe again. Returns the lines to print.
Result<QStringList> update(const QString& file)
{
    auto recipe = TRY(readRecipe(file));
    const auto figure = TRY(drawFigure(recipe.request));
    const auto replaced = TRY(replaceChanged(recipe.request, figure));
    QStringList lines;
    for (std::size_t k = 0; k < figure.runs.size() && k < recipe.drawn.size(); ++k) {
        const QString change = changeText(recipe.drawn[k], figure.runs[k], figure.infos[k]);
        if (!change.isEmpty())
            lines << QStringLiteral("%1: %2").arg(QString::fromStdString(figure.runs[k].label),
                                                  change);
    }
    lines << (replaced.isEmpty()
                  ? QStringLiteral("unchanged")
                  : QStringLiteral("drawn again: %1").arg(replaced.join(QStringLiteral(", "))));
    if (recipe.drawn == figure.runs)
        return lines;
    recipe.drawn = figure.runs;
    return saveRecipe(file, recipe).map([&] { return lines; });
}

} // namespace

int updateFigures(const QStringList& filesAndFolders)
{
    int status = 0;
    const auto report = [&](const Error& error) {
        engine::printError(fmt::format("bubblescope: {}\n", error.message));
        status = 1;
    };
    for (const QString& path : filesAndFolders) {
        const auto recipes = recipesIn(path);
        if (!recipes) {
            report(recipes.error());
            continue;
        }
        for (const QString& file : *recipes) {
            const auto lines = update(file);
            if (!lines)
                report(lines.error());
            else
                engine::printText(fmt::format("{}\n  {}\n", file.toStdString(),
                                              lines->join(QStringLiteral("\n  ")).toStdString()));
        }
    }
    return status;
}

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
