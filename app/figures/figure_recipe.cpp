#include "app/figures/figure_recipe.h"

#include "app/ui/numbers.h"
#include "engine/base/new_file.h"
#include "engine/base/read_file.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"

#include <QDir>
#include <QFileInfo>

#include <fmt/format.h>

#include <sstream>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::Result;

QDir folderOf(const QString& recipe)
{
    return QFileInfo(recipe).absoluteDir();
}

toml::array texts(const QStringList& list)
{
    toml::array array;
    for (const QString& text : list)
        array.push_back(text.toStdString());
    return array;
}

toml::array relative(const QStringList& files, const QDir& folder)
{
    QStringList paths;
    for (const QString& file : files)
        paths << folder.relativeFilePath(QFileInfo(file).absoluteFilePath());
    return texts(paths);
}

toml::table tableOf(const DrawnRun& run)
{
    toml::table table{{"run", run.label}, {"iteration", run.iteration}, {"bubble", run.bubble}};
    if (run.peak)
        table.insert("peak", *run.peak);
    return table;
}

auto invalid(const QString& file, std::string_view what)
{
    return fail(Error::Code::InvalidArgument, fmt::format("{}: {}", file.toStdString(), what));
}

Result<QStringList> textsOf(const toml::table& table, std::string_view key, const QString& file)
{
    const toml::array* array = table[key].as_array();
    QStringList list;
    for (std::size_t k = 0; array != nullptr && k < array->size(); ++k) {
        const auto text = (*array)[k].value<std::string>();
        if (!text)
            return invalid(file, fmt::format("'{}' must be a list of strings", key));
        list << QString::fromStdString(*text);
    }
    if (array == nullptr)
        return invalid(file,
                       fmt::format("'{}' is missing; draw the figure again with --recipe", key));
    return list;
}

std::vector<DrawnRun> drawnOf(const toml::table& table)
{
    std::vector<DrawnRun> runs;
    const toml::array* array = table["drawn"].as_array();
    for (std::size_t k = 0; array != nullptr && k < array->size(); ++k) {
        const toml::table* one = (*array)[k].as_table();
        if (one == nullptr)
            continue;
        runs.push_back({(*one)["run"].value_or(std::string()), (*one)["iteration"].value_or(0.0),
                        (*one)["bubble"].value_or(0.0), (*one)["peak"].value<double>()});
    }
    return runs;
}

// Describes how a number changed: "bubble 30.6 -> 28.0 %". Returns "" if the shown digits are
// equal. `unit` follows the second value.
QString changeOf(const char* name, const QString& before, const QString& now, const QString& unit)
{
    return before == now
        ? QString()
        : QStringLiteral("%1 %2 -> %3 %4").arg(QLatin1String(name), before, now, unit);
}

} // namespace

QString recipeOf(const QString& figure)
{
    const QFileInfo info(figure);
    return info.dir().filePath(info.completeBaseName() + QLatin1String(kRecipeEnding));
}

Result<void> saveRecipe(const QString& file, const FigureRecipe& recipe)
{
    const QDir folder = folderOf(file);
    toml::array drawn;
    for (const DrawnRun& run : recipe.drawn)
        drawn.push_back(tableOf(run));
    const toml::table root{{"runs", relative(recipe.request.runs, folder)},
                           {"outputs", relative(recipe.request.outputs, folder)},
                           {"options", texts(figureArguments(recipe.request))},
                           {"drawn", drawn}};
    std::ostringstream text;
    text << "# Draw the figure again: bubblescope figure --update FILE, or its folder.\n"
            "# `drawn` has the numbers of the runs at the last drawing: iteration in ticks of the "
            "run, bubble as a share, peak in bytes.\n"
         << root << '\n';
    return engine::saveFile(file.toStdString(), text.str(), engine::IfExists::Replace);
}

Result<FigureRecipe> readRecipe(const QString& file)
{
    const auto text = TRY(engine::readFile(file.toStdString()));
    const auto table = TRY(engine::parseToml(text, file.toStdString()));
    const auto runs = textsOf(table, "runs", file);
    const auto outputs = textsOf(table, "outputs", file);
    const auto options = textsOf(table, "options", file);
    for (const auto* list : {&runs, &outputs, &options})
        if (!*list)
            return tl::unexpected(list->error());
    const QDir folder = folderOf(file);
    QStringList arguments = *options;
    for (const QString& output : *outputs)
        arguments << QStringLiteral("-o") << QDir::cleanPath(folder.absoluteFilePath(output));
    arguments << QStringLiteral("--");
    for (const QString& run : *runs)
        arguments << QDir::cleanPath(folder.absoluteFilePath(run));
    auto request = parseFigureRequest(arguments);
    if (!request)
        return invalid(file, request.error().message);
    if (request->help || request->update)
        return invalid(file, "'options' has --help or --update; remove it");
    if (const auto inside = checkRecipeOutputs(request->outputs, folder); !inside)
        return invalid(file, inside.error().message);
    return FigureRecipe{*std::move(request), drawnOf(table)};
}

QString changeText(const DrawnRun& before, const DrawnRun& now, const engine::RunInfo& info)
{
    const auto ticks = static_cast<std::int64_t>(std::max(before.iteration, now.iteration));
    const Scale time = timeScale(info, ticks).finer(1);
    QString iteration
        = changeOf("iteration", time.text(before.iteration), time.text(now.iteration), time.unit());
    if (!iteration.isEmpty() && before.iteration > 0)
        iteration += QStringLiteral(" (%1 %)").arg(
            signedNumber(100 * (now.iteration / before.iteration - 1), 1));
    QStringList changes{iteration,
                        changeOf("bubble", number(100 * before.bubble, 1),
                                 number(100 * now.bubble, 1), QStringLiteral("%"))};
    if (before.peak && now.peak) {
        const Scale bytes = byteScale(static_cast<std::int64_t>(std::max(*before.peak, *now.peak)));
        changes << changeOf("peak", bytes.text(*before.peak), bytes.text(*now.peak), bytes.unit());
    }
    changes.removeAll(QString());
    return changes.join(QStringLiteral(", "));
}

} // namespace app
