#include "app/figures/figure_fields.h"

#include "engine/base/try.h"
#include "profiler/figure/palette.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
                    return engine::fail(
                        engine::Error::Code::InvalidArgument,
                        fmt::format("--range {}: not a range of time; write it as 12..48", text));
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

} // namespace

// Rows, range, iteration, chart and preset have no key, so the export dialog does not store them.
// The first four belong to one input; a preset only sets a width, a height and a font size.
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
            return engine::fail(
                engine::Error::Code::InvalidArgument,
                fmt::format("rows {} do not name devices; write them as 0,2-3 or all", text));
        for (int device = *first; device <= *last; ++device)
            rows.push_back(device);
        begin = end + 1;
    }
    return rows;
}

} // namespace app
