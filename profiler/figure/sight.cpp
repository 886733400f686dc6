#include "profiler/figure/sight.h"

#include <algorithm>
#include <array>
#include <cmath>

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

double toLinear(std::uint8_t channel)
{
    const double c = channel / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

std::uint8_t fromLinear(double light)
{
    const double l = std::clamp(light, 0.0, 1.0);
    const double c = l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * c));
}

Colour transformed(Colour colour, const Matrix& matrix)
{
    const Row light{toLinear(colour.red), toLinear(colour.green), toLinear(colour.blue)};
    const auto channel = [&light](const Row& row) {
        return fromLinear(row[0] * light[0] + row[1] * light[1] + row[2] * light[2]);
    };
    return {channel(matrix[0]), channel(matrix[1]), channel(matrix[2])};
}

void recolour(Box& box, Sight sight)
{
    box.fill = seen(box.fill, sight);
    box.strokeColour = seen(box.strokeColour, sight);
}
void recolour(Hatch& hatch, Sight sight)
{
    hatch.fill = seen(hatch.fill, sight);
    hatch.line = seen(hatch.line, sight);
}
void recolour(Line& line, Sight sight)
{
    line.colour = seen(line.colour, sight);
}
void recolour(Text& text, Sight sight)
{
    text.colour = seen(text.colour, sight);
}
void recolour(Polygon& polygon, Sight sight)
{
    polygon.fill = seen(polygon.fill, sight);
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

} // namespace profiler
