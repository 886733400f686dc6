#include "app/figures/figure_recipe.h"

#include "app/documents/run_document.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/base/new_file.h"
#include "engine/base/process.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/cost/spec_file.h"
#include "profiler/analysis/metrics.h"
#include "profiler/figure/palette.h"
#include "profiler/predict/predict.h"
#include "profiler/store/notes.h"
#include "profiler/store/trace_store.h"
#include "profiler/study/chart.h"
#include "profiler/study/run_study.h"

#include <QCommandLineParser>
#include <QDirIterator>
#include <QFileInfo>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QSettings>
#include <QUrl>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <utility>

namespace app {
namespace {

using engine::Field;
using engine::FieldFacts;
using engine::FieldKind;
using engine::option;
using engine::Result;
using profiler::FigureOptions;
using F = FigureSettings;

constexpr double kMostInches = 100, kMostType = 72, kLeastDpi = 72, kMostDpi = 1200;
constexpr double kMostIterations = 1'000'000'000, kMostCharts = 1000;

Field<F> preset()
{
    return {option("", "--preset", "Preset", "Width and font size of a publication", "NAME")
                .withDefault("acm-column"),
            [](const F&) { return std::string(); },
            [](F& settings, std::string_view text) -> Result<void> {
                const auto found = TRY(profiler::findFigurePreset(text));
                settings.options.width = found.inches * profiler::kPointsPerInch;
                settings.options.height = found.heightInches * profiler::kPointsPerInch;
                settings.options.margin = found.marginInches * profiler::kPointsPerInch;
                settings.options.fontSize = found.fontSize;
                return {};
            }};
}

// Returns the field of a length: in inches as an option, in points as a member.
Field<F> inches(FieldFacts facts, double FigureOptions::*member)
{
    facts.kind = FieldKind::Real;
    return {std::move(facts),
            [member](const F& settings) {
                return engine::numberText(settings.options.*member / profiler::kPointsPerInch);
            },
            [member](F& settings, std::string_view text) -> Result<void> {
                settings.options.*member
                    = engine::parseNumber(text).value_or(0) * profiler::kPointsPerInch;
                return {};
            }};
}

// Parses a list of rows: "0,2-3" gives {0, 2, 3}. "all" and "" give an empty list, which means all
// rows.
Result<std::vector<int>> parseRows(std::string_view text)
{
    constexpr int kMost = 100'000; // limit on the rows of one range, and of all ranges before it
    std::vector<int> rows;
    if (text.empty() || text == "all")
        return rows;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = text.substr(begin, end - begin);
        const std::size_t dash = std::min(part.find('-'), part.size());
        const auto first = engine::parseInteger<int>(part.substr(0, dash));
        const auto last
            = dash == part.size() ? first : engine::parseInteger<int>(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last - *first > kMost
            || rows.size() > kMost)
            return engine::invalid("rows {} do not name devices; write them as 0,2-3 or all", text);
        for (int device = *first; device <= *last; ++device)
            rows.push_back(device);
        begin = end + 1;
    }
    return rows;
}

Field<F> rows()
{
    return {option("", "--rows", "Rows", "Devices to draw, in this order: 0,2-3", "DEVICES")
                .withDefault("all"),
            [](const F& settings) {
                return fmt::format("{}", fmt::join(settings.options.devices, ","));
            },
            [](F& settings, std::string_view text) -> Result<void> {
                settings.options.devices = TRY(parseRows(text));
                return {};
            }};
}

Field<F> range()
{
    return {option("", "--range", "Range",
                   "Part of the iteration to draw, in ms (or units) from its start", "A..B")
                .withDefault("the whole iteration"),
            [](const F& settings) {
                const profiler::FigureRange& range = settings.options.range;
                return range.isWhole() ? std::string()
                                       : fmt::format("{}..{}", engine::numberText(range.begin),
                                                     engine::numberText(range.end));
            },
            [](F& settings, std::string_view text) -> Result<void> {
                const std::size_t dots = std::min(text.find(".."), text.size());
                const auto begin = engine::parseNumber(text.substr(0, dots));
                const auto end = engine::parseNumber(text.substr(std::min(dots + 2, text.size())));
                if (!text.empty() && !(begin && end && *begin >= 0 && *begin < *end))
                    return engine::invalid("--range {}: not a range of time; write it as 12..48",
                                           text);
                settings.options.range = {begin.value_or(0), end.value_or(0)};
                return {};
            }};
}

// Returns the field of a flag. If the flag is given, the member is set to `value`.
Field<F> part(std::string_view flag, std::string_view label, std::string_view help,
              bool FigureOptions::*member, bool value)
{
    FieldFacts facts = option(kFigureTable, flag, label, help);
    facts.kind = FieldKind::Flag;
    return {std::move(facts),
            [member, value](const F& settings) {
                return settings.options.*member == value ? "true" : "false";
            },
            [member, value](F& settings, std::string_view text) -> Result<void> {
                settings.options.*member = (text == "true") == value;
                return {};
            }};
}

std::vector<std::string_view> paletteViews()
{
    static const std::vector<std::string> kPalettes = profiler::paletteNames();
    return {kPalettes.begin(), kPalettes.end()};
}

template<class Value>
Field<F> ofOptions(const FieldFacts& facts, Value FigureOptions::*member)
{
    return engine::lifted(engine::field<FigureOptions>(facts, member), &F::options);
}

std::vector<Field<F>> sizesAndFont()
{
    using O = FigureOptions;
    return {
        preset(),
        inches(option(kFigureTable, "--width", "Width, in",
                      "Width in inches instead of the preset's", "INCHES")
                   .between(1, kMostInches)
                   .withDefault("the preset's"),
               &O::width),
        inches(option(kFigureTable, "--height", "Height, in",
                      "Height in inches; the font is reduced if necessary; 0: the height of the "
                      "rows",
                      "INCHES")
                   .between(0, kMostInches)
                   .withDefault("0, for a slide 7.5"),
               &O::height),
        inches(option(kFigureTable, "--margin", "Margin, in", "Empty space at every edge", "INCHES")
                   .between(0, 2)
                   .withDefault("0, for a slide 0.5"),
               &O::margin),
        ofOptions(option(kFigureTable, "--font-size", "Font size, pt",
                         "Font size instead of the preset's", "PT")
                      .between(profiler::kSmallestType, kMostType)
                      .withDefault("the preset's"),
                  &O::fontSize),
        ofOptions(option(kFigureTable, "--font", "Font", "Font family", "FAMILY")
                      .withDefault("Roboto if installed"),
                  &O::font),
    };
}

std::vector<Field<F>> contents()
{
    using O = FigureOptions;
    return {
        ofOptions(option(kFigureTable, "--palette", "Palette", "Colours").oneOf(paletteViews()),
                  &O::palette),
        ofOptions(option("", "--iteration", "Iteration", "Index of the iteration", "K")
                      .between(0, kMostIterations)
                      .withDefault("the median iteration"),
                  &O::iteration),
        engine::field<F>(option(kFigureTable, "--times", "Times",
                                "Times as recorded, or schematic: F = 1, B = 2, everything else "
                                "free")
                             .oneOf({"measured", "schematic"}),
                         &F::times),
        range(),
        rows(),
        ofOptions(option(kFigureTable, "--colour-by", "Colour by", "Meaning of the colours of ops")
                      .oneOf(profiler::colourByNames()),
                  &O::colourBy),
        ofOptions(option(kFigureTable, "--bubbles", "Bubbles", "Style of bubbles")
                      .oneOf({"hatched", "blank", "cause"}),
                  &O::bubbles),
        part("--memory", "Memory strip", "Draw a strip of memory under every row", &O::memory,
             true),
        part("--communication", "Communication lanes",
             "Draw lanes of messages, all-reduces and copies under every row", &O::communication,
             true),
        part("--notes", "Notes", "Draw the notes of the iteration", &O::notes, true),
        part("--title", "Title",
             "Draw the name of the run above its rows; always drawn for several runs", &O::title,
             true),
        part("--no-numbers", "Micro-batch numbers", "Leave out the numbers of micro-batches",
             &O::microBatches, false),
        part("--no-direction", "Direction mark", "Leave out the mark of the up direction",
             &O::directionMark, false),
        part("--no-shares", "Bubble, % per row", "Leave out the shares of bubbles", &O::bubbleShare,
             false),
        part("--no-axis", "Time axis", "Leave out the time axis", &O::timeAxis, false),
        part("--no-legend", "Legend", "Leave out the legend", &O::legend, false),
        engine::field<F>(option(kFigureTable, "--dpi", "PNG, dpi", "Resolution of PNG", "N")
                             .between(kLeastDpi, kMostDpi),
                         &F::dpi),
        engine::field<F>(option("", "--chart", "Chart", "Which chart of a study to draw", "K")
                             .between(1, kMostCharts),
                         &F::chart),
    };
}

constexpr std::array kEnds{".pdf", ".svg", ".png", ".tex"}; // indexed by FigureFormat

constexpr std::array kOutputs{&ExportSettings::pdf, &ExportSettings::svg, &ExportSettings::png,
                              &ExportSettings::tikz}; // indexed by FigureFormat
QString key(const engine::FieldFacts& facts)
{
    return QString::fromStdString(facts.table + '/' + facts.key);
}

constexpr QLatin1String kOwn("own/"), kGroup("figurePresets");

// Returns the group of QSettings for a preset of the user. The name is percent-encoded, because a
// slash would start a subgroup.
QString groupOf(const QString& preset)
{
    return QString(kGroup) + QLatin1Char('/')
        + QString::fromLatin1(QUrl::toPercentEncoding(preset.mid(kOwn.size())));
}

} // namespace

// Rows, range, iteration, chart and preset have no key, so the export dialog does not store them.
// The first four belong to one input; a preset only sets lengths and a font size.
engine::Fields<FigureSettings> figureFields()
{
    static const std::vector<Field<F>> kFields = [] {
        std::vector<Field<F>> all = sizesAndFont();
        std::ranges::move(contents(), std::back_inserter(all));
        return all;
    }();
    return kFields;
}

std::vector<FigureFormat> ExportSettings::formats() const
{
    std::vector<FigureFormat> chosen;
    for (std::size_t f = 0; f < kOutputs.size(); ++f)
        if (this->*kOutputs[f])
            chosen.push_back(FigureFormat(f));
    return chosen;
}

QString ExportSettings::file(FigureFormat format) const
{
    return base + QLatin1String(kEnds[static_cast<std::size_t>(format)]);
}

QString figureBase(const QString& file)
{
    const QString trimmed = file.trimmed();
    return figureFormat(trimmed) ? trimmed.left(trimmed.lastIndexOf(QLatin1Char('.'))) : trimmed;
}

engine::Fields<ExportSettings> exportFields()
{
    using E = ExportSettings;
    static const std::vector<engine::Field<E>> kFields = [] {
        std::vector<engine::Field<E>> fields;
        for (const auto& field : figureFields())
            fields.push_back({field, field.get, field.set, field.off});
        fields.push_back(engine::field<E>(engine::inFileOnly(kFigureTable, "preset"), &E::preset));
        constexpr std::array kTitles{"PDF", "SVG", "PNG", "TikZ"};
        constexpr std::array kFlags{"--pdf", "--svg", "--png", "--tikz"};
        for (std::size_t f = 0; f < kOutputs.size(); ++f)
            fields.push_back(engine::field<E>(
                engine::option(kFigureTable, kFlags[f], kTitles[f], "Write this format"),
                kOutputs[f]));
        fields.push_back(engine::field<E>(
            engine::option(kFigureTable, "--recipe", "Save a recipe beside the figure",
                           "Write NAME.figure.toml, from which bubblescope figure --update draws "
                           "the figure again"),
            &E::recipe));
        fields.push_back(
            {engine::inFileOnly(kFigureTable, "folder"),
             [](const E& settings) { return QFileInfo(settings.base).path().toStdString(); },
             [](E& settings, std::string_view text) -> engine::Result<void> {
                 settings.base = fromUtf8(text);
                 return {};
             }});
        return fields;
    }();
    return kFields;
}

ExportSettings loadExportSettings(const QSettings& settings)
{
    ExportSettings exported;
    for (const auto& field : exportFields())
        if (!field.key.empty() && settings.contains(key(field)))
            static_cast<void>(engine::setChecked(
                field, exported, settings.value(key(field)).toString().toStdString()));
    return exported;
}

void saveExportSettings(QSettings& settings, const ExportSettings& exported)
{
    for (const auto& field : exportFields())
        if (!field.key.empty())
            settings.setValue(key(field), QString::fromStdString(field.get(exported)));
}

QString ownPreset(const QString& name)
{
    return kOwn + name;
}

bool isOwnPreset(const QString& preset)
{
    return preset.startsWith(kOwn);
}

QStringList ownPresets(QSettings& settings)
{
    settings.beginGroup(kGroup);
    QStringList names;
    for (const QString& group : settings.childGroups())
        names.append(QUrl::fromPercentEncoding(group.toLatin1()));
    settings.endGroup();
    names.sort(Qt::CaseInsensitive);
    return names;
}

void saveOwnPreset(QSettings& settings, const QString& name, const ExportSettings& exported)
{
    settings.beginGroup(groupOf(ownPreset(name)));
    saveExportSettings(settings, exported);
    settings.endGroup();
}

ExportSettings loadOwnPreset(QSettings& settings, const QString& preset, const QString& base)
{
    settings.beginGroup(groupOf(preset));
    ExportSettings exported = loadExportSettings(settings);
    settings.endGroup();
    exported.preset = preset.toStdString();
    exported.base = base;
    return exported;
}

void removeOwnPreset(QSettings& settings, const QString& preset)
{
    settings.remove(groupOf(preset));
}

QString figureName(const std::vector<std::shared_ptr<const engine::Run>>& runs)
{
    QStringList names;
    for (const auto& run : runs)
        names << QString::fromStdString(run->info.scheme);
    QString name = names.join(QLatin1Char('-'));
    if (runs.size() == 1)
        name += QStringLiteral("-d%1-n%2")
                    .arg(runs[0]->schedule.shape.devices)
                    .arg(runs[0]->schedule.shape.microBatches);
    return name.left(60);
}

QString figureTitle(const std::vector<std::shared_ptr<const engine::Run>>& runs, int iteration)
{
    QStringList titles;
    for (const auto& run : runs)
        titles << QStringLiteral("%1, %2").arg(
            QString::fromStdString(run->info.label.empty() ? run->info.scheme : run->info.label),
            shapeText(*run));
    QString all = titles.join(QStringLiteral("; "));
    if (iteration < 0)
        return all;
    const engine::Timeline& timeline = runs.front()->timeline;
    const bool isNumber = timeline.iterations[static_cast<std::size_t>(iteration)].kind
        == engine::Iteration::Kind::Measured;
    const QString name = iterationName(timeline, iteration);
    return all + QStringLiteral(", ")
        + (isNumber ? QStringLiteral("iteration %1").arg(name) : name);
}

namespace {

using engine::Error;
using engine::fail;
using engine::FieldKind;
using engine::invalid;
using engine::Result;
using profiler::FigureCheck;

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
        return invalid(
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
            return invalid(done.error().message);
    }
    return request;
}

// Fails unless all outputs are in the folder of their recipe or below, because a recipe may come
// from someone else and `--update` replaces its outputs.
Result<void> checkRecipeOutputs(const QStringList& outputs, const QDir& folder)
{
    for (const QString& file : outputs) {
        const QString path = folder.relativeFilePath(QFileInfo(file).absoluteFilePath());
        if (path == QLatin1String("..") || path.startsWith(QLatin1String("../")))
            return invalid("{} is not in the folder of the recipe, {}; a recipe draws "
                           "only figures in its folder",
                           file.toStdString(), folder.path().toStdString());
    }
    return {};
}

Result<void> checkFiles(const FigureRequest& request)
{
    if (request.update && request.runs.isEmpty())
        return invalid("name the folder or the recipes: bubblescope figure --update FOLDER");
    if (request.update)
        return {};
    if (request.runs.isEmpty())
        return invalid("name the run to draw: bubblescope figure RUN.sqlite -o figure.pdf");
    if (request.outputs.isEmpty())
        return invalid("name the output file: -o figure.pdf (or .svg, .tex, .png)");
    const profiler::FigureOptions& options = request.options;
    if (options.communication && request.times == FigureTimes::Schematic)
        return invalid("lanes of communication need its times; draw the run of bscope simulate "
                       "--p2p U --allreduce U -o RUN.sqlite instead of --times schematic");
    for (const auto& [given, what, flag] : {std::tuple(options.notes, "notes need", "--notes"),
                                            {options.memory, "memory needs", "--memory"},
                                            {!options.range.isWhole(), "a range needs", "--range"}})
        if (given && request.times == FigureTimes::Schematic)
            return invalid("{} recorded times; leave out {} or --times schematic", what, flag);
    for (const QString& file : request.outputs)
        if (!figureFormat(file))
            return invalid("{} has an unknown format; use the extension .pdf, .svg, .tex or .png",
                           file.toStdString());
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

Result<engine::Run> readExperiment(const std::string& file, FigureTimes times)
{
    if (times != FigureTimes::Schematic)
        return invalid("{} is an experiment without recorded times; add --times schematic, "
                       "or run it first: bscope experiment {} -o RUN.sqlite",
                       file, file);
    return inContext(
        file,
        engine::readFile(file)
            .and_then([](const std::string& text) { return engine::experimentFromToml(text); })
            .and_then([](const engine::Experiment& experiment) {
                return profiler::schematic(experiment);
            }));
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
    return times == FigureTimes::Schematic ? profiler::schematic(*run) : run;
}

using Runs = std::vector<std::shared_ptr<const engine::Run>>;

Result<Runs> readRuns(const FigureRequest& request)
{
    Runs runs;
    for (const QString& file : request.runs) {
        runs.push_back(
            std::make_shared<const engine::Run>(TRY(readRun(file.toStdString(), request.times))));
    }
    return runs;
}

// The runs are drawn with their own times.
Result<profiler::Scene> layOut(const Runs& runs, const profiler::FigureOptions& options,
                               const std::vector<std::vector<engine::Note>>& notes)
{
    std::vector<const engine::Run*> pointers;
    for (const auto& run : runs)
        pointers.push_back(run.get());
    return profiler::layoutFigure(pointers, options, notes);
}

Result<std::vector<DrawnRun>> numbersOf(const Runs& runs, int iteration)
{
    std::vector<DrawnRun> drawn;
    for (const auto& run : runs) {
        drawn.push_back(TRY(app::numbersOf(*run, iteration)));
    }
    return drawn;
}

// The folder of a study if the only input is one, or the results.sqlite in it.
std::optional<QString> studyFolder(const FigureRequest& request)
{
    const QFileInfo input(request.runs.value(0));
    const bool isResults = input.fileName() == QLatin1String(profiler::kStudyResults);
    if (request.runs.size() != 1 || (!input.isDir() && !isResults))
        return std::nullopt;
    return isResults ? input.path() : input.filePath();
}

// Checks that no option is given that the chart of a study, or a figure of runs, would ignore.
Result<void> checkOptions(const FigureRequest& request, bool isStudy)
{
    static constexpr std::array<std::string_view, 8> kOfStudies{
        "--preset", "--width", "--height", "--margin", "--font", "--font-size", "--dpi", "--chart"};
    for (const auto& field : figureFields()) {
        const std::string name = field.longFlag(), text = field.get(request);
        if (text == field.get(FigureSettings()))
            continue;
        if (isStudy && std::ranges::find(kOfStudies, name) == kOfStudies.end())
            return invalid(name + " is an option of runs; leave it out for a study");
        if (!isStudy && name == "--chart")
            return invalid("--chart {}: runs have no charts; leave it out, or name the "
                           "folder of one study",
                           text);
    }
    return {};
}

Result<profiler::Scene> layOutChart(const QString& folder, const FigureRequest& request)
{
    const auto data = TRY(profiler::openStudy(folder.toStdString()));
    const auto& charts = data.study.charts;
    if (std::cmp_greater(request.chart, charts.size()))
        return invalid("--chart {}: the study has {} charts", request.chart, charts.size());
    const profiler::FigureOptions& options = request.options;
    const double margins = 2 * options.margin;
    auto scene = TRY(profiler::drawPrintedChart(
        data, charts[static_cast<std::size_t>(request.chart - 1)],
        {options.width - margins, std::max(0.0, options.height - margins), options.fontSize}));
    if (!options.font.empty())
        scene.font = options.font;
    return onPage(std::move(scene), options.margin, options.height);
}

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

Result<QStringList> textsOf(const toml::table& table, std::string_view key, const QString& file)
{
    const toml::array* array = table[key].as_array();
    if (array == nullptr)
        return invalid("{}: '{}' is missing; draw the figure again with --recipe",
                       file.toStdString(), key);
    QStringList list;
    for (const toml::node& one : *array) {
        if (!one.is_string())
            return invalid("{}: '{}' must be a list of strings", file.toStdString(), key);
        list << QString::fromStdString(**one.as_string());
    }
    return list;
}

std::vector<DrawnRun> drawnOf(const toml::table& table)
{
    std::vector<DrawnRun> runs;
    if (const toml::array* array = table["drawn"].as_array())
        array->for_each([&](const toml::table& one) {
            runs.push_back({one["run"].value_or(std::string()), one["iteration"].value_or(0.0),
                            one["bubble"].value_or(0.0), one["peak"].value<double>()});
        });
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

// If `path` is a folder, returns the recipes in it and in its subfolders, sorted by name. Otherwise
// returns `path`.
Result<QStringList> recipesIn(const QString& path)
{
    const QFileInfo info(path);
    if (!info.exists())
        return fail(Error::Code::NotFound, "{} does not exist: check the name", path.toStdString());
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
                    "{} has no file *{}; write one with `bubblescope figure RUN.sqlite "
                    "-o FILE --recipe`",
                    path.toStdString(), kRecipeEnding);
    return found;
}

bool isWrittenAs(const QString& file, const QByteArray& bytes)
{
    QFile existing(file);
    return existing.open(QIODevice::ReadOnly) && existing.readAll() == bytes;
}

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
    for (const std::string& warning : figure.warnings)
        lines << QStringLiteral("note: %1").arg(QString::fromStdString(warning));
    if (recipe.drawn == figure.runs)
        return lines;
    recipe.drawn = figure.runs;
    return saveRecipe(file, recipe).map([&] { return lines; });
}

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
        files.push_back(TRY(engine::NewFile::beside(
            output.toStdString(),
            request.force ? engine::IfExists::Replace : engine::IfExists::Refuse, inputs)));
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
    for (const std::string& warning : figure.warnings)
        engine::printError(fmt::format("note: {}\n", warning));
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

Result<FigureRequest> parseFigureRequest(const QStringList& arguments)
{
    QCommandLineParser parser;
    addOptions(parser);
    // Prepends a name, because the parser takes the first argument as the name of the program.
    if (!parser.parse(QStringList{QStringLiteral("figure")} + arguments))
        return invalid(parser.errorText().remove(QLatin1Char('\n')).toStdString()
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
        R"(Draw runs, or a chart of a study, as a figure for print.
Several runs share one time axis; the first is the baseline.
Usage: bubblescope figure RUN.sqlite... -o FILE [OPTIONS]
       bubblescope figure STUDY_FOLDER -o FILE [--chart K]
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

Result<DrawnRun> numbersOf(const engine::Run& run, int iteration)
{
    const auto metrics = TRY(profiler::metrics(run, iteration));
    DrawnRun drawn{run.info.label, static_cast<double>(metrics.duration), metrics.bubbleRatio,
                   std::nullopt};
    for (const profiler::DeviceMetrics& device : metrics.devices)
        if (device.peakBytes)
            drawn.peak = std::max(drawn.peak.value_or(0), static_cast<double>(*device.peakBytes));
    return drawn;
}

Result<DrawnFigure> drawFigure(const FigureRequest& request)
{
    const auto study = studyFolder(request);
    const Runs runs = study ? Runs() : TRY(readRuns(request));
    TRY(checkOptions(request, study.has_value()));
    std::vector<std::vector<engine::Note>> notes;
    for (const QString& file : request.options.notes ? request.runs : QStringList()) {
        notes.push_back(TRY(profiler::readNotes(file.toStdString())));
    }
    const auto scene
        = study ? TRY(layOutChart(*study, request)) : TRY(layOut(runs, request.options, notes));
    if (!QFontDatabase::families().contains(QString::fromStdString(scene.font)))
        return fail(Error::Code::NotFound,
                    "fontconfig does not find the font '{}'; install the package "
                    "fonts-roboto-unhinted, or use another font with --font",
                    scene.font);
    DrawnFigure figure;
    figure.width = scene.width / profiler::kPointsPerInch;
    figure.height = scene.height / profiler::kPointsPerInch;
    for (FigureCheck& check :
         study ? std::vector<FigureCheck>() : profiler::checkFigure(scene, request.options))
        if (!check.good)
            figure.warnings.push_back(std::move(check.text));
    for (const QString& output : request.outputs) {
        figure.files.push_back(TRY(renderFigure(scene, *figureFormat(output), request.dpi)));
    }
    figure.runs = TRY(numbersOf(runs, request.options.iteration));
    for (const auto& run : runs)
        figure.infos.push_back(run->info);
    return figure;
}

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
    const auto runs = TRY(textsOf(table, "runs", file));
    const auto outputs = TRY(textsOf(table, "outputs", file));
    QStringList arguments = TRY(textsOf(table, "options", file));
    const QDir folder = folderOf(file);
    for (const QString& output : outputs)
        arguments << QStringLiteral("-o") << QDir::cleanPath(folder.absoluteFilePath(output));
    arguments << QStringLiteral("--");
    for (const QString& run : runs)
        arguments << QDir::cleanPath(folder.absoluteFilePath(run));
    auto request = parseFigureRequest(arguments);
    if (!request)
        return invalid("{}: {}", file.toStdString(), request.error().message);
    if (request->help || request->update)
        return invalid("{}: 'options' has --help or --update; remove it", file.toStdString());
    if (const auto inside = checkRecipeOutputs(request->outputs, folder); !inside)
        return invalid("{}: {}", file.toStdString(), inside.error().message);
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

int updateFigures(const QStringList& filesAndFolders)
{
    int status = 0;
    for (const QString& path : filesAndFolders) {
        const auto recipes = recipesIn(path);
        if (!recipes)
            status = report(recipes.error(), 1);
        for (const QString& file : recipes.value_or(QStringList())) {
            const auto lines = update(file);
            if (!lines)
                status = report(lines.error(), 1);
            else
                engine::printText(fmt::format("{}\n  {}\n", file.toStdString(),
                                              lines->join(QStringLiteral("\n  ")).toStdString()));
        }
    }
    return status;
}

int figureCommand(int argc, char** argv)
{
    qInstallMessageHandler(dropRemarks);
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication application(argc, argv);
    addProgramFonts();
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

Result<FigureDraft> draftFigure(const std::vector<std::shared_ptr<const engine::Run>>& runs,
                                const ExportSettings& settings,
                                const std::vector<std::vector<engine::Note>>& notes)
{
    const bool isMeasured = settings.times == FigureTimes::Measured;
    Runs drawn = runs;
    for (auto& run : drawn) {
        if (isMeasured)
            break;
        auto schematic = TRY(profiler::schematic(*run));
        run = std::make_shared<const engine::Run>(std::move(schematic));
    }
    auto scene = TRY(layOut(drawn, settings.options,
                            isMeasured ? notes : std::vector<std::vector<engine::Note>>()));
    FigureDraft draft{std::move(scene), {}};
    draft.checks = profiler::checkFigure(draft.scene, settings.options);
    return draft;
}

Result<std::vector<FigureCheck>> checkPdf(const profiler::Scene& scene, int dpi)
{
    const auto first = TRY(renderFigure(scene, FigureFormat::Pdf, dpi));
    const auto second = TRY(renderFigure(scene, FigureFormat::Pdf, dpi));
    const bool hasFont = first.contains("/FontFile"), isSame = first == second;
    return std::vector<FigureCheck>{
        {hasFont, hasFont ? "fonts embedded" : "the font is not embedded"},
        {isSame, isSame ? "identical bytes in two exports" : "different bytes in two exports"}};
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
    if (settings.recipe) {
        auto numbers = TRY(numbersOf(runs.runs, request.options.iteration));
        TRY(saveRecipe(recipeOf(request.outputs.front()), {request, std::move(numbers)}));
    }
    return exportedFiles(settings);
}

} // namespace app
