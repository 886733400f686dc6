#include "app/figures/update_figures.h"

#include "app/figures/figure_recipe.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/try.h"

#include <QDirIterator>
#include <QFileInfo>

#include <fmt/format.h>

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

} // namespace app
