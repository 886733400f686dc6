#include "app/figures/figure_request.h"

#include "app/figures/write_figure.h"
#include "engine/base/text.h"
#include "engine/base/try.h"

#include <QCommandLineParser>
#include <QFileInfo>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace app {
namespace {

using engine::Error;
using engine::fail;
using engine::FieldKind;
using engine::Result;

QString optionName(const engine::FieldFacts& facts)
{
    return QString::fromStdString(facts.longFlag().substr(2));
}

void addOptions(QCommandLineParser& parser)
{
    QCommandLineOption output(QStringList{QStringLiteral("o"), QStringLiteral("output")});
    output.setValueName(QStringLiteral("FILE"));
    parser.addOption(output);
    for (const char* flag : {"force", "recipe", "update"})
        parser.addOption(QCommandLineOption(QString::fromLatin1(flag)));
    parser.addOption(QCommandLineOption(QStringList{QStringLiteral("h"), QStringLiteral("help")}));
    for (const auto& field : figureFields()) {
        QCommandLineOption option(optionName(field));
        if (field.kind != FieldKind::Flag)
            option.setValueName(QStringLiteral("VALUE"));
        parser.addOption(option);
    }
}

Result<FigureRequest> readRequest(const QCommandLineParser& parser)
{
    FigureRequest request;
    request.runs = parser.positionalArguments();
    request.outputs = parser.values(QStringLiteral("o"));
    request.force = parser.isSet(QStringLiteral("force"));
    request.recipe = parser.isSet(QStringLiteral("recipe"));
    request.update = parser.isSet(QStringLiteral("update"));
    if (request.update && parser.optionNames().size() > 1)
        return fail(Error::Code::InvalidArgument,
                    "--update takes recipes and folders, and no other option: bubblescope figure "
                    "--update FOLDER");
    request.help = parser.isSet(QStringLiteral("help"));
    for (const auto& field : figureFields()) {
        const QString name = optionName(field);
        if (!parser.isSet(name))
            continue;
        const std::string text
            = field.kind == FieldKind::Flag ? "true" : parser.value(name).toStdString();
        if (auto done = engine::setChecked<FigureSettings>(field, request, text); !done)
            return fail(Error::Code::InvalidArgument, done.error().message);
    }
    return request;
}

} // namespace

Result<void> checkRecipeOutputs(const QStringList& outputs, const QDir& folder)
{
    for (const QString& file : outputs) {
        const QString path = folder.relativeFilePath(QFileInfo(file).absoluteFilePath());
        if (path == QLatin1String("..") || path.startsWith(QLatin1String("../")))
            return fail(Error::Code::InvalidArgument,
                        fmt::format("{} is not in the folder of the recipe, {}; a recipe draws "
                                    "only figures in its folder",
                                    file.toStdString(), folder.path().toStdString()));
    }
    return {};
}

namespace {

Result<void> checkFiles(const FigureRequest& request)
{
    const auto invalid
        = [](std::string what) { return fail(Error::Code::InvalidArgument, std::move(what)); };
    if (request.update && request.runs.isEmpty())
        return invalid("name the folder or the recipes: bubblescope figure --update FOLDER");
    if (request.update)
        return {};
    if (request.runs.isEmpty())
        return invalid("name the run to draw: bubblescope figure RUN.sqlite -o figure.pdf");
    if (request.outputs.isEmpty())
        return invalid("name the output file: -o figure.pdf (or .svg, .tex, .png)");
    if (request.options.notes && request.times == FigureTimes::Schematic)
        return invalid("notes need recorded times; leave out --notes or --times "
                       "schematic");
    if (request.options.memory && request.times == FigureTimes::Schematic)
        return invalid("memory needs recorded times; leave out --memory or --times "
                       "schematic");
    if (!request.options.range.isWhole() && request.times == FigureTimes::Schematic)
        return invalid("a range needs recorded times; leave out --range or --times schematic");
    for (const QString& file : request.outputs)
        if (!figureFormat(file))
            return invalid(
                fmt::format("{} has an unknown format; use the extension .pdf, .svg, .tex or .png",
                            file.toStdString()));
    if (request.recipe)
        return checkRecipeOutputs(request.outputs, QFileInfo(request.outputs.front()).dir());
    return {};
}

// Returns the lines of help for an option: "  --width INCHES     Width in inches (default: the
// preset's)".
std::string helpLine(const engine::Field<FigureSettings>& field)
{
    const std::string value = !field.value.empty() ? std::string(field.value)
        : field.kind == FieldKind::Choice ? fmt::format("{{{}}}", fmt::join(field.names, ","))
                                          : "";
    const std::string defaultText
        = field.defaultText.empty() ? field.get(FigureSettings()) : std::string(field.defaultText);
    const std::string option = field.longFlag() + (value.empty() ? "" : " " + value);
    const std::string help = std::string(field.help)
        + (field.kind == FieldKind::Flag || defaultText.empty()
               ? ""
               : fmt::format(" (default: {})", defaultText));
    constexpr std::size_t kColumn = 20, kWidth = 78;
    const std::string gap = "\n" + std::string(kColumn + 2, ' ');
    std::string lines;
    for (const char c : engine::wrapped(help, kWidth))
        lines += c == '\n' ? gap : std::string(1, c);
    return fmt::format("  {:20}{}{}\n", option, option.size() < kColumn ? "" : gap, lines);
}

} // namespace

Result<FigureRequest> parseFigureRequest(const QStringList& arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    // Prepends a name, because the parser takes the first argument as the name of the program.
    if (!parser.parse(QStringList{QStringLiteral("figure")} + arguments))
        return fail(Error::Code::InvalidArgument,
                    parser.errorText().remove(QLatin1Char('\n')).toStdString()
                        + " See bubblescope figure --help");
    auto request = readRequest(parser);
    if (!request || request->help)
        return request;
    TRY(checkFiles(*request));
    return request;
}

QStringList figureArguments(const FigureSettings& settings)
{
    QStringList arguments;
    for (const auto& field : figureFields()) {
        const std::string text = field.get(settings);
        if (text == field.get(FigureSettings()))
            continue;
        arguments << QString::fromStdString(field.longFlag());
        if (field.kind != FieldKind::Flag)
            arguments << QString::fromStdString(text);
    }
    return arguments;
}

QString figureHelp()
{
    std::string options, presets;
    for (const auto& field : figureFields())
        options += helpLine(field);
    for (const auto& preset : profiler::figurePresets())
        presets += fmt::format("  {:12} {:5.2f} in, {:>3} pt   {}\n", preset.name, preset.inches,
                               preset.fontSize, preset.title);
    return QString::fromStdString(fmt::format(
        R"(Draw runs as a figure for print. Several runs share one time axis; the first is the baseline.
Usage: bubblescope figure RUN.sqlite... -o FILE [OPTIONS]
       bubblescope figure EXPERIMENT.toml... --times schematic -o FILE [OPTIONS]
       bubblescope figure --update FOLDER|FILE.figure.toml...

Options:
  -o,--output FILE    .pdf, .svg, .tex (TikZ) or .png; repeat it for several files
  --force             Replace files that exist
  --recipe            Also write FILE.figure.toml, from which --update draws the figure again
  --update            Draw the figures of recipes again, from the runs as they are now, and print
                      the changes
{}
Presets:
{}
Example:
  bubblescope figure 1f1b.sqlite bitpipe.sqlite --preset acm-column -o compare.pdf --recipe
)",
        options, presets));
}

} // namespace app
