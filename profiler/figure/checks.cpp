#include "profiler/figure/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace profiler {
namespace {

using Row = std::array<double, 3>;
using Matrix = std::array<Row, 3>;

constexpr Row kLuminance{0.2126, 0.7152, 0.0722};
constexpr Matrix kGrey{kLuminance, kLuminance, kLuminance};
constexpr Matrix kDeuteranopia{Row{0.367322, 0.860646, -0.227968},
                               Row{0.280085, 0.672501, 0.047413},
                               Row{-0.011820, 0.042940, 0.968881}};
constexpr Matrix kProtanopia{Row{0.152286, 1.052583, -0.204868}, Row{0.114503, 0.786281, 0.099216},
                             Row{-0.003882, -0.048116, 1.051998}};

std::uint8_t fromLinear(double light)
{
    const double l = std::clamp(light, 0.0, 1.0);
    const double c = l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * c));
}

Colour transformed(Colour colour, const Matrix& matrix)
{
    const Row light{linearLight(colour.red), linearLight(colour.green), linearLight(colour.blue)};
    const auto channel = [&light](const Row& row) {
        return fromLinear(row[0] * light[0] + row[1] * light[1] + row[2] * light[2]);
    };
    return {channel(matrix[0]), channel(matrix[1]), channel(matrix[2])};
}

template<class Shape>
void recolour(Shape& shape, Sight sight)
{
    const auto change = [sight](Colour& colour) { colour = seen(colour, sight); };
    if constexpr (requires { shape.fill; })
        change(shape.fill);
    if constexpr (requires { shape.strokeColour; })
        change(shape.strokeColour);
    if constexpr (requires { shape.line; })
        change(shape.line);
    if constexpr (requires { shape.colour; })
        change(shape.colour);
}

constexpr std::string_view kDuration = "duration";
// Smallest difference of lightness L* that a laser printer keeps.
constexpr double kSmallestGrey = 12;

// The facts that decide whether a row of the figure is legible.
struct RowFacts
{
    std::string name;
    // Boxes of ops that should have a number, and numbers that are drawn.
    int boxes = 0, numbers = 0;
    // The smallest size of a number in points, and the lowest contrast of a number to its box.
    double smallest = 1e9, ink = 21;
};

bool holdsNumber(const Box& box)
{
    return box.cls.starts_with("op ") && !box.cls.starts_with("op OPT")
        && box.cls.find(" cut") == std::string::npos;
}

RowFacts factsOf(const Group& row)
{
    RowFacts facts;
    const Box* last = nullptr;
    for (const SceneShape& shape : row.shapes) {
        if (const auto* box = std::get_if<Box>(&shape)) {
            last = box;
            facts.boxes += holdsNumber(*box);
        }
        const auto* text = std::get_if<Text>(&shape);
        if (text && text->cls == "row-label")
            facts.name = text->text;
        if (!text || text->cls != "micro-batch" || !last)
            continue;
        ++facts.numbers;
        facts.smallest = std::min(facts.smallest, text->size);
        facts.ink = std::min(facts.ink, contrast(text->colour, last->fill));
    }
    return facts;
}

FigureCheck checkNumbers(const std::vector<RowFacts>& rows, const FigureOptions& options)
{
    if (!options.microBatches || rows.empty())
        return {true, "no numbers"};
    const auto isWithout = [](const RowFacts& row) { return row.numbers < row.boxes; };
    const auto without = std::ranges::count_if(rows, isWithout);
    if (without > 0)
        return {
            false,
            fmt::format("{}{}: numbers do not fit in their boxes; use a wider figure or a range",
                        std::ranges::find_if(rows, isWithout)->name,
                        without > 1 ? fmt::format(" and {} more rows", without - 1) : "")};
    const auto smallest = std::ranges::min(rows, {}, &RowFacts::smallest).smallest;
    return {true, fmt::format("smallest number {:.3g} pt", smallest)};
}

FigureCheck checkInk(const std::vector<RowFacts>& rows)
{
    const auto worst = std::ranges::min_element(rows, {}, &RowFacts::ink);
    if (worst == rows.end() || worst->ink >= kSmallestInk)
        return {true, "contrast of numbers at least 4.5 : 1"};
    return {false, fmt::format("{}: contrast of numbers only {:.1f} : 1", worst->name, worst->ink)};
}

// How a kind of op looks in print: its colour and the lines over it.
struct Look
{
    Colour fill;
    bool isGroup = false; // whether the colour means a micro-batch, stage, chunk or duration
    HatchLines lines = HatchLines::None;
};

// "op F chunk1 up" -> "F chunk 1", "op F chunk1 by-stage-2" -> "F stage 2",
// "op F by-duration-2" -> "duration 2".
std::string lookName(const std::string& cls)
{
    std::string_view name = std::string_view(cls).substr(3);
    if (const auto by = name.find(" by-"); by != std::string_view::npos) {
        const std::string_view group = name.substr(by + 4);
        const auto dash = group.rfind('-');
        const std::string text
            = fmt::format("{} {}", group.substr(0, dash), group.substr(dash + 1));
        return group.starts_with(kDuration)
            ? text
            : fmt::format("{} {}", name.substr(0, name.find(' ')), text);
    }
    const auto chunk = name.find(" chunk");
    const auto kind = name.substr(0, name.find(' '));
    return chunk == std::string_view::npos
        ? std::string(kind)
        : fmt::format("{} chunk {}", kind,
                      name.substr(chunk + 6, name.find(' ', chunk + 1) - chunk - 6));
}

// By name: "F", "F chunk 1".
std::map<std::string, Look> looksOf(const Scene& scene)
{
    std::map<std::string, Look> looks;
    for (const Group& group : scene.groups) {
        Look* last = nullptr; // look of the previous box; a hatch that follows covers this box
        for (const SceneShape& shape : group.shapes) {
            const auto* hatch = std::get_if<Hatch>(&shape);
            if (hatch && hatch->cls == "hatch" && last)
                last->lines = hatch->lines;
            if (const auto* box = std::get_if<Box>(&shape))
                last = box->cls.starts_with("op ")
                    ? &looks
                           .try_emplace(lookName(box->cls),
                                        Look{box->fill, box->cls.find(" by-") != std::string::npos})
                           .first->second
                    : nullptr;
        }
    }
    return looks;
}

// CIE lightness, from 0 (black) to 100 (white).
double lightness(Colour colour)
{
    const double luminance = 0.05 * contrast(colour, Colour{0, 0, 0}) - 0.05;
    return luminance > 216.0 / 24389 ? 116 * std::cbrt(luminance) - 16 : luminance * 24389.0 / 27;
}

// Whether ops of one kind may have similar greys. They may if they differ only by chunk, or if they
// differ by micro-batch and numbers are drawn, because then positions or numbers distinguish them.
// Other colour groups must differ in grey.
bool maySameKindBeAlike(const Look& one, const FigureOptions& options)
{
    return !one.isGroup || (options.colourBy == ColourBy::MicroBatch && options.microBatches);
}

bool isSameKind(std::string_view one, std::string_view other)
{
    return one.substr(0, one.find(' ')) == other.substr(0, other.find(' '));
}

FigureCheck checkGrey(const Scene& scene, const FigureOptions& options)
{
    const auto looks = looksOf(scene);
    for (auto one = looks.begin(); one != looks.end(); ++one)
        for (auto other = std::next(one); other != looks.end(); ++other) {
            const double a = lightness(one->second.fill), b = lightness(other->second.fill);
            if ((isSameKind(one->first, other->first) && maySameKindBeAlike(one->second, options))
                || std::abs(a - b) >= kSmallestGrey || one->second.lines != other->second.lines)
                continue;
            return {false,
                    fmt::format("{} and {} look alike in grey (lightness {:.0f} and {:.0f}); {}",
                                one->first, other->first, a, b,
                                options.colourBy == ColourBy::Operation
                                    ? "use the palette grey, which has hatches"
                                    : "colour by operation or duration")};
        }
    return {true, "legible in grey"};
}

} // namespace

Colour seen(Colour colour, Sight sight)
{
    switch (sight) {
    case Sight::Grey:
        return transformed(colour, kGrey);
    case Sight::Deuteranopia:
        return transformed(colour, kDeuteranopia);
    case Sight::Protanopia:
        return transformed(colour, kProtanopia);
    default:
        return colour;
    }
}

Scene seen(Scene scene, Sight sight)
{
    if (sight == Sight::Colour)
        return scene;
    for (Group& group : scene.groups)
        for (SceneShape& shape : group.shapes)
            std::visit([sight](auto& s) { recolour(s, sight); }, shape);
    return scene;
}

std::vector<FigureCheck> checkFigure(const Scene& scene, const FigureOptions& options)
{
    std::vector<RowFacts> rows;
    for (const Group& group : scene.groups)
        if (RowFacts facts = factsOf(group); !facts.name.empty())
            rows.push_back(std::move(facts));
    return {checkNumbers(rows, options), checkInk(rows), checkGrey(scene, options)};
}

} // namespace profiler
