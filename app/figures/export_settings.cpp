#include "app/figures/export_settings.h"

#include "app/documents/run_document.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "profiler/figure/palette.h"

#include <QFileInfo>
#include <QSettings>
#include <QUrl>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

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

} // namespace app
