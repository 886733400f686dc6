#include "profiler/figure/palette.h"

#include "engine/base/text.h"
#include "engine/base/try.h"
#include "resources/resources.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

namespace profiler {
namespace {

using namespace engine;
using Json = nlohmann::ordered_json;

constexpr std::string_view kFolder = "palettes/";

double luminance(Colour c)
{
    return 0.2126 * linearLight(c.red) + 0.7152 * linearLight(c.green)
        + 0.0722 * linearLight(c.blue);
}

std::string_view resourceOf(std::string_view name)
{
    return resources::find(fmt::format("{}{}.json", kFolder, name));
}

// Reads the colours and numbers of one theme of a palette; keeps the first error.
class ThemeReader
{
public:
    explicit ThemeReader(const Json& theme)
        : m_theme(theme)
    { }

    Colour colour(const char* key) { return colour(m_theme, key); }
    Colour memory(const char* key) { return colour(m_theme.value("memory", Json::object()), key); }
    double share(const Json& value)
    {
        if (value.is_number() && value >= 0 && value <= 1)
            return value.get<double>();
        note("a share must be a number from 0 to 1");
        return 0;
    }
    // Reads a hatch such as ["falling", 1]. If the key is missing, there is no hatch.
    OpHatch hatch(const char* key)
    {
        const Json value = m_theme.value("hatches", Json::object()).value(key, Json());
        if (value.is_null())
            return {};
        if (value.is_array() && value.size() == 2 && value[0].is_string()
            && value[1].is_number_unsigned() && value[1] <= kDensest)
            for (int lines = 1; lines <= std::ssize(kLines); ++lines)
                if (kLines[lines - 1] == value[0])
                    return {static_cast<HatchLines>(lines), value[1].get<int>()};
        note(fmt::format("the hatch \"{}\" is not [\"rising\", \"falling\", \"crossed\", "
                         "\"horizontal\" or \"vertical\", 0 to {}]",
                         key, kDensest));
        return {};
    }
    const std::string& error() const { return m_error; }

private:
    // [HatchLines - 1]
    static constexpr const char* kLines[]{"rising", "falling", "crossed", "horizontal", "vertical"};
    static constexpr int kDensest = 4;

    Colour colour(const Json& object, const char* key)
    {
        const auto parsed = parseColour(object.value(key, std::string()));
        if (!parsed)
            note(fmt::format("\"{}\": {}", key, parsed.error().message));
        return parsed.value_or(Colour());
    }
    void note(std::string what)
    {
        if (m_error.empty())
            m_error = std::move(what);
    }

    const Json& m_theme;
    std::string m_error;
};

void readShares(ThemeReader& reader, const Json& theme, Palette& palette)
{
    palette.exposedShare = reader.share(theme.value("exposedShare", Json()));
    const Json shares = theme.value("chunkShares", Json::array());
    for (std::size_t c = 0; c < std::size(palette.chunkShare); ++c)
        palette.chunkShare[c] = reader.share(c < shares.size() ? shares[c] : Json());
    const Json memory = theme.value("memory", Json::object());
    const double stash = reader.share(memory.value("stashShare", Json()));
    palette.stash = mix(palette.forward, palette.surface, stash);
}

template<class Value>
using Key = std::pair<const char*, Value Palette::*>; // in the file of a palette
constexpr Key<Colour> kColours[]{{"forward", &Palette::forward},
                                 {"backward", &Palette::backward},
                                 {"weight", &Palette::weight},
                                 {"communication", &Palette::communication},
                                 {"optimizer", &Palette::optimizer},
                                 {"optimizerEdge", &Palette::optimizerEdge},
                                 {"bubble", &Palette::bubble},
                                 {"bubbleLine", &Palette::bubbleLine},
                                 {"bubbleSolid", &Palette::bubbleSolid},
                                 {"surface", &Palette::surface},
                                 {"ink", &Palette::ink},
                                 {"darkInk", &Palette::darkInk},
                                 {"lightInk", &Palette::lightInk},
                                 {"chunkTarget", &Palette::chunkTarget}};
constexpr Key<Colour> kMemoryColours[]{{"weights", &Palette::weights},
                                       {"gradients", &Palette::gradients},
                                       {"optimizer", &Palette::optimizerState},
                                       {"buffers", &Palette::buffers},
                                       {"unknown", &Palette::unknown}};
constexpr Key<OpHatch> kHatches[]{{"forward", &Palette::forwardHatch},
                                  {"backward", &Palette::backwardHatch},
                                  {"weight", &Palette::weightHatch},
                                  {"communication", &Palette::communicationHatch}};

Result<Palette> readTheme(const Json& theme)
{
    ThemeReader reader(theme);
    Palette p;
    for (const auto& [key, colour] : kColours)
        p.*colour = reader.colour(key);
    for (const auto& [key, colour] : kMemoryColours)
        p.*colour = reader.memory(key);
    for (const auto& [key, hatch] : kHatches)
        p.*hatch = reader.hatch(key);
    if (const OpHatch recompute = reader.hatch("recompute"); recompute.density > 0)
        p.recomputeHatch = recompute;
    p.isInkByDirection = theme.value("inkByDirection", false);
    readShares(reader, theme, p);
    if (!reader.error().empty())
        return fail(Error::Code::Corrupt, reader.error());
    return p;
}

// Eight hues that also differ in lightness. The colours of forward ops are mixed with the surface.
constexpr Colour kHueColours[kHues]
    = {{0x31, 0x5A, 0xC2}, {0xC0, 0x56, 0x1A}, {0x23, 0xAA, 0x9C}, {0xA6, 0x24, 0x63},
       {0x9C, 0xB8, 0x2E}, {0x6A, 0x55, 0xC8}, {0xFE, 0xBD, 0x29}, {0x7D, 0x87, 0x95}};
constexpr double kForwardLight = 0.45, kForwardDark = 0.38;

bool isOfMicroBatch(const Op& op)
{
    return runsMicroBatch(op.kind) && op.microBatch.isValid();
}

} // namespace

Colour mix(Colour from, Colour to, double share)
{
    const auto channel = [share](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(std::lround(a + (b - a) * share));
    };
    return {channel(from.red, to.red), channel(from.green, to.green), channel(from.blue, to.blue)};
}

double linearLight(std::uint8_t channel)
{
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double contrast(Colour a, Colour b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

std::string hex(Colour colour)
{
    return fmt::format("#{:02X}{:02X}{:02X}", colour.red, colour.green, colour.blue);
}

Result<Colour> parseColour(std::string_view text)
{
    std::uint32_t value = 0;
    const char* const end = text.data() + text.size();
    const bool good = text.size() == 7 && text[0] == '#'
        && std::from_chars(text.data() + 1, end, value, 16).ptr == end;
    if (!good)
        return invalid("'{}' is not a colour; write it as #RRGGBB", text);
    return Colour{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
                  static_cast<std::uint8_t>(value)};
}

Colour Palette::fill(OpKind kind, int chunk) const
{
    using enum OpKind;
    const double share
        = chunkShare[static_cast<std::size_t>(std::max(chunk, 0)) % std::size(chunkShare)];
    const auto tint = [&](Colour base) { return mix(base, chunkTarget, share); };
    switch (kind) {
    case Forward:
    case Recompute:
        return tint(forward);
    case Backward:
    case BackwardInput:
        return tint(backward);
    case BackwardWeight:
        return tint(weight);
    case OptimizerStep:
        return optimizer;
    default:
        return communication;
    }
}

Colour Palette::laneFill(Track::Kind lane) const
{
    using enum Track::Kind;
    return lane == AllReduce ? communication
        : lane == Copy       ? mix(communication, ink, 0.4)
                             : mix(communication, surface, lane == Send ? 0.35 : 0.55);
}

OpHatch Palette::hatch(OpKind kind, int chunk) const
{
    using enum OpKind;
    const OpHatch of = kind == Forward              ? forwardHatch
        : kind == Recompute                         ? recomputeHatch
        : kind == Backward || kind == BackwardInput ? backwardHatch
        : kind == BackwardWeight                    ? weightHatch
        : isCompute(kind) || kind == OptimizerStep  ? OpHatch()
                                                    : communicationHatch;
    return of.lines == HatchLines::None ? of : OpHatch{of.lines, of.density + std::max(0, chunk)};
}

Colour Palette::inkOn(Colour on) const
{
    return contrast(darkInk, on) >= contrast(lightInk, on) ? darkInk : lightInk;
}

Colour Palette::edgeOf(Colour fill) const
{
    constexpr double kStep = 0.02;
    Colour edge = fill;
    for (double share = kStep; contrast(edge, surface) < kMarkContrast; share += kStep)
        edge = mix(fill, ink, share);
    return edge;
}

Colour Palette::inkOf(const Op& op, Colour fill) const
{
    const bool isByDirection = isInkByDirection && op.kind != OpKind::OptimizerStep;
    return !isByDirection ? inkOn(fill) : op.replica == 1 ? lightInk : darkInk;
}

Colour Palette::*memoryFill(MemoryCategory category)
{
    static constexpr EnumArray<MemoryCategory, Colour Palette::*, kMemoryCategories> kFills{
        &Palette::weights, &Palette::gradients, &Palette::optimizerState,
        &Palette::stash,   &Palette::buffers,   &Palette::unknown};
    return kFills[category];
}

Result<Palette> loadPalette(std::string_view name, ThemeMode mode)
{
    const std::string_view text = resourceOf(name);
    if (text.empty()) {
        const std::vector<std::string> names = paletteNames();
        return fail(Error::Code::NotFound, "unknown palette '{}'; {}", name,
                    didYouMean(name, std::vector<std::string_view>(names.begin(), names.end())));
    }
    const Json file = Json::parse(text, nullptr, false);
    const Json base = Json::parse(resourceOf("default"), nullptr, false);
    const char* const theme = mode == ThemeMode::Dark ? "dark" : "light";
    if (!file.contains(theme) || !base.contains(theme))
        return fail(Error::Code::Corrupt, "palette '{}' has no {} theme", name, theme);
    // The file of a palette contains only its differences from the default palette.
    Json merged = base[theme];
    merged.merge_patch(file[theme]);
    auto palette = TRY(inContext(fmt::format("palette '{}', {}", name, theme), readTheme(merged)));
    palette.name = name;
    palette.title = file.value("title", std::string(name));
    palette.mode = mode;
    return palette;
}

std::vector<std::string> paletteNames()
{
    std::vector<std::string> names;
    for (const auto& resource : resources::all()) {
        if (!resource.path.starts_with(kFolder))
            continue;
        const auto file = resource.path.substr(kFolder.size());
        names.emplace_back(file.substr(0, file.rfind('.')));
    }
    const auto first = std::ranges::find(names, "default");
    if (first != names.end())
        std::rotate(names.begin(), first, first + 1);
    return names;
}

const std::vector<std::string_view>& colourByNames()
{
    static const std::vector<std::string_view> kNames{"operation", "micro-batch", "stage",
                                                      "direction", "chunk",       "duration"};
    return kNames;
}

int colourGroup(const Op& op, int chunk, ColourBy by)
{
    if (!isOfMicroBatch(op))
        return -1;
    return by == ColourBy::Chunk     ? chunk
        : by == ColourBy::MicroBatch ? op.microBatch.value
        : by == ColourBy::Stage      ? op.stage.value
        : by == ColourBy::Direction  ? op.replica
                                     : -1;
}

bool isColouredByDuration(const Op& op, ColourBy by)
{
    return by == ColourBy::Duration && isOfMicroBatch(op);
}

Tint tintOf(OpKind kind)
{
    return kind == OpKind::Recompute ? Tint::Recompute
        : isBackward(kind)           ? Tint::Backward
                                     : Tint::Forward;
}

Colour hueFill(const Palette& palette, int group, Tint tint)
{
    const Colour full = kHueColours[group % kHues];
    const double light = palette.mode == ThemeMode::Dark ? kForwardDark : kForwardLight;
    return tint == Tint::Backward ? full : mix(full, palette.surface, light);
}

int durationStep(double share)
{
    const double place = std::sqrt(std::clamp(share, 0.0, 1.0)) * kDurationSteps;
    return std::min(static_cast<int>(place), kDurationSteps - 1);
}

// The longer the op, the higher is the contrast to the surface: long ops are dark in light themes
// and bright in dark themes.
Colour durationFill(const Palette& palette, int step)
{
    constexpr double kPalestLight = 0.7, kPalestDark = 0.5, kSteps = kDurationSteps - 1;
    const bool isDark = palette.mode == ThemeMode::Dark;
    if (step == 0)
        return isDark ? mix(palette.optimizer, palette.surface, kPalestDark)
                      : mix(palette.weight, palette.surface, kPalestLight);
    return mix(palette.weight, palette.optimizer, (isDark ? kSteps - step : step - 1) / kSteps);
}

OpLook opLook(const Palette& palette, const Op& op, int chunk, double length, ColourBy by)
{
    if (isColouredByDuration(op, by))
        return {durationFill(palette, durationStep(length)), {}};
    const int group = colourGroup(op, chunk, by);
    if (group < 0)
        return {palette.fill(op.kind, chunk), palette.hatch(op.kind, chunk)};
    const Tint tint = tintOf(op.kind);
    return {hueFill(palette, group, tint),
            tint == Tint::Recompute ? palette.recomputeHatch : OpHatch{}};
}

} // namespace profiler
