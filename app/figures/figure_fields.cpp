#include "app/figures/figure_fields.h"

#include "profiler/figure/palette.h"

#include <fmt/format.h>

#include <algorithm>

namespace app {
namespace {

using engine::Field;
using engine::FieldFacts;
using engine::FieldKind;
using engine::Result;
using profiler::FigureOptions;
using F = FigureSettings;

constexpr double kMostInches = 100, kMostType = 72, kLeastDpi = 72, kMostDpi = 1200;
constexpr double kMostIterations = 1'000'000'000;

// Rows and iteration belong to one run, a preset is a width and a size: none is remembered.
Field<F> preset()
{
    return {{.flag = "--preset",
             .help = "Width and type of a publication",
             .value = "NAME",
             .usual = "acm-column"},
            [](const F&) { return std::string(); },
            [](F& settings, std::string_view text) -> Result<void> {
                const auto found = profiler::findFigurePreset(text);
                if (!found)
                    return tl::unexpected(found.error());
                settings.options.width = found->inches * profiler::kPointsPerInch;
                settings.options.fontSize = found->fontSize;
                return {};
            }};
}

Field<F> width()
{
    return {{.flag = "--width",
             .table = "figure",
             .key = "width",
             .help = "Width in inches, in place of the preset's",
             .value = "INCHES",
             .kind = FieldKind::Real,
             .least = 1,
             .most = kMostInches,
             .usual = "the preset's"},
            [](const F& settings) {
                return engine::numberText(settings.options.width / profiler::kPointsPerInch);
            },
            [](F& settings, std::string_view text) -> Result<void> {
                settings.options.width
                    = engine::parseNumber(text).value_or(0) * profiler::kPointsPerInch;
                return {};
            }};
}

Field<F> iteration()
{
    return {{.flag = "--iteration",
             .help = "Index of the iteration",
             .value = "K",
             .kind = FieldKind::Integer,
             .least = 0,
             .most = kMostIterations,
             .usual = "the median replay, or the last measured"},
            [](const F& settings) { return std::to_string(settings.options.iteration); },
            [](F& settings, std::string_view text) -> Result<void> {
                settings.options.iteration = engine::parseInteger<int>(text).value_or(-1);
                return {};
            }};
}

Field<F> rows()
{
    return {{.flag = "--rows",
             .help = "Devices to draw, in this order: 0,2-3",
             .value = "DEVICES",
             .usual = "all"},
            [](const F& settings) {
                std::string text;
                for (const int device : settings.options.devices)
                    text += fmt::format("{}{}", text.empty() ? "" : ",", device);
                return text;
            },
            [](F& settings, std::string_view text) -> Result<void> {
                auto devices = parseRows(text);
                if (!devices)
                    return tl::unexpected(devices.error());
                settings.options.devices = *std::move(devices);
                return {};
            }};
}

// A switch whose option sets `value`.
Field<F> part(std::string_view flag, std::string_view help, bool FigureOptions::*member, bool value)
{
    return {{.flag = flag,
             .table = "figure",
             .key = flag.substr(2),
             .help = help,
             .kind = FieldKind::Flag},
            [member, value](const F& settings) {
                return settings.options.*member == value ? "true" : "false";
            },
            [member, value](F& settings, std::string_view text) -> Result<void> {
                settings.options.*member = (text == "true") == value;
                return {};
            }};
}

Field<F> ofOptions(Field<FigureOptions> field)
{
    field.table = "figure";
    return engine::lifted(field, &F::options);
}

} // namespace

engine::Fields<FigureSettings> figureFields()
{
    static const std::vector<std::string> kPalettes = profiler::paletteNames();
    static const std::vector<Field<F>> kFields{
        preset(),
        width(),
        ofOptions(
            engine::field<FigureOptions>({.flag = "--font-size",
                                          .key = "font-size",
                                          .help = "Size of the type, in place of the preset's",
                                          .value = "PT",
                                          .least = profiler::kSmallestType,
                                          .most = kMostType,
                                          .usual = "the preset's"},
                                         &FigureOptions::fontSize)),
        ofOptions(engine::field<FigureOptions>({.flag = "--font",
                                                .key = "font",
                                                .help = "Font family",
                                                .value = "FAMILY",
                                                .usual = "Roboto where it is installed"},
                                               &FigureOptions::font)),
        ofOptions(engine::field<FigureOptions>({.flag = "--palette",
                                                .key = "palette",
                                                .help = "Colours",
                                                .kind = FieldKind::Choice,
                                                .names = {kPalettes.begin(), kPalettes.end()}},
                                               &FigureOptions::palette)),
        iteration(),
        engine::field<F>({.flag = "--times",
                          .table = "figure",
                          .key = "times",
                          .help = "Times as recorded, or schematic: F = 1, B = 2, everything else "
                                  "free",
                          .names = {"measured", "schematic"}},
                         &F::times),
        rows(),
        ofOptions(engine::field<FigureOptions>({.flag = "--bubbles",
                                                .key = "bubbles",
                                                .help = "Look of bubbles",
                                                .names = {"hatched", "blank", "cause"}},
                                               &FigureOptions::bubbles)),
        part("--memory", "Draw a strip of memory under every row", &FigureOptions::memory, true),
        part("--notes", "Draw the notes of the iteration", &FigureOptions::notes, true),
        part("--title", "Draw the name of the run above its rows; always with several runs",
             &FigureOptions::title, true),
        part("--no-numbers", "Leave out the numbers of micro-batches", &FigureOptions::microBatches,
             false),
        part("--no-direction", "Leave out the mark of the up direction",
             &FigureOptions::directionMark, false),
        part("--no-shares", "Leave out the shares of bubbles", &FigureOptions::bubbleShare, false),
        part("--no-axis", "Leave out the time axis", &FigureOptions::timeAxis, false),
        part("--no-legend", "Leave out the legend", &FigureOptions::legend, false),
        engine::field<F>({.flag = "--dpi",
                          .table = "figure",
                          .key = "dpi",
                          .help = "Resolution of PNG",
                          .value = "N",
                          .least = kLeastDpi,
                          .most = kMostDpi},
                         &F::dpi),
    };
    return kFields;
}

Result<std::vector<int>> parseRows(std::string_view text)
{
    constexpr int kMost = 100'000;
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
        if (!first || !last || *first < 0 || *last < *first || *last - *first > kMost)
            return engine::fail(
                engine::Error::Code::InvalidArgument,
                fmt::format("rows {} name no devices; write them as 0,2-3 or all", text));
        for (int device = *first; device <= *last; ++device)
            rows.push_back(device);
        begin = end + 1;
    }
    return rows;
}

} // namespace app
