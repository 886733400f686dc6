#include "profiler/study/chart_style.h"

#include "engine/schedules/scheme.h"

#include <algorithm>
#include <array>
#include <optional>

namespace profiler {
namespace {

struct KnownScheme
{
    std::string_view name;
    Colour colour;
    std::size_t marker = 0;
};
constexpr std::array<KnownScheme, 5> kKnown{{{"1f1b", {125, 135, 149}, 1},
                                             {"interleaved-1f1b", {106, 85, 200}, 2},
                                             {"chimera", {192, 86, 26}, 3},
                                             {"zb-v", {21, 131, 174}, 4},
                                             {"dualpipe", {115, 138, 28}, 5}}};
constexpr std::array<Colour, 8> kOthers{{{0, 158, 115},
                                         {204, 121, 167},
                                         {86, 180, 233},
                                         {230, 159, 0},
                                         {168, 36, 60},
                                         {0, 76, 148},
                                         {120, 75, 40},
                                         {150, 30, 150}}};

constexpr std::array kHatches{HatchLines::None,    HatchLines::Rising,     HatchLines::Falling,
                              HatchLines::Crossed, HatchLines::Horizontal, HatchLines::Vertical};

SeriesLook lookOf(Colour colour, const ChartStyle& style)
{
    constexpr double kLeastContrast = 3; // minimum of WCAG for graphics
    const bool isDark = contrast(style.ground, {255, 255, 255}) > contrast(style.ground, {0, 0, 0});
    SeriesLook look;
    look.colour = isDark && contrast(colour, style.ground) < kLeastContrast
        ? mix(colour, style.ink, 0.35)
        : colour;
    look.text = look.colour;
    while (contrast(look.text, style.ground) < kSmallestInk)
        look.text = mix(look.text, style.ink, 0.15);
    return look;
}

std::optional<SeriesLook> knownLook(std::string_view scheme, const ChartStyle& style)
{
    if (scheme == "bitpipe") {
        SeriesLook look = lookOf(style.ink, style);
        look.width = 2.4;
        return look;
    }
    const auto* const known = std::ranges::find(kKnown, scheme, &KnownScheme::name);
    if (known == kKnown.end())
        return std::nullopt;
    SeriesLook look = lookOf(known->colour, style);
    look.marker = known->marker;
    return look;
}

// Returns the preferred index into kOthers. For a scheme it is the scheme's number in
// engine::schemes(), so that the scheme tends to have the same colour in all studies. For other
// values it is `index`.
std::size_t firstChoice(std::string_view key, std::string_view value, std::size_t index)
{
    const auto all = engine::schemes();
    const auto found = std::ranges::find(all, value, &engine::Scheme::name);
    return key != "scheme" || found == all.end() ? index
                                                 : static_cast<std::size_t>(found - all.begin());
}

} // namespace

std::vector<SeriesLook> seriesLooks(std::string_view key, const std::vector<std::string>& values,
                                    const ChartStyle& style)
{
    std::vector<SeriesLook> looks;
    std::array<std::size_t, kOthers.size()> uses{};
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (const auto known = key == "scheme" ? knownLook(values[i], style) : std::nullopt) {
            looks.push_back(*known);
            continue;
        }
        std::size_t slot = firstChoice(key, values[i], i) % kOthers.size();
        while (uses[slot] > *std::ranges::min_element(uses))
            slot = (slot + 1) % kOthers.size();
        const std::size_t round = uses[slot]++;
        SeriesLook look = lookOf(kOthers[slot], style);
        look.isDashed = round % 2 == 1;
        look.marker = (slot + round) % kSeriesMarkers;
        look.hatch = kHatches[std::min(round, kHatches.size() - 1)];
        looks.push_back(look);
    }
    return looks;
}

} // namespace profiler
