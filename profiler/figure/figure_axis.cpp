#include "profiler/analysis/ticks.h"
#include "profiler/figure/figure_parts.h"

#include <fmt/format.h>

namespace profiler {
namespace {

double tickLength(const FigureStyle& style)
{
    return 0.3 * style.size;
}

Ticks axisTicks(const FigureStyle& style, double length)
{
    const double end = style.axisBegin + length;
    const double label = style.width(fmt::format("{:.0f}", end), style.size);
    return ticks(style.axisBegin, end, (label + 2 * style.size) / style.pointsPerUnit);
}

double xOf(const FigureStyle& style, double value)
{
    return style.plotLeft + (value - style.axisBegin) * style.pointsPerUnit;
}

} // namespace

Group layoutAxis(const FigureStyle& style, double y, double length)
{
    Group group{.id = "time-axis", .shapes = {}};
    const Colour ink = style.palette.ink;
    const double end = style.plotLeft + length * style.pointsPerUnit;
    group.shapes.emplace_back(
        Line{.x1 = style.plotLeft, .y1 = y, .x2 = end, .y2 = y, .colour = ink, .cls = "axis"});
    const Ticks places = axisTicks(style, length);
    for (const double value : places.major) {
        const double x = xOf(style, value);
        group.shapes.emplace_back(Line{
            .x1 = x, .y1 = y, .x2 = x, .y2 = y + tickLength(style), .colour = ink, .cls = "tick"});
        group.shapes.emplace_back(Text{.x = x,
                                       .baseline = y + axisHeight(style),
                                       .size = style.size,
                                       .text = fmt::format("{:.{}f}", value, places.decimals),
                                       .colour = ink,
                                       .anchor = Text::Anchor::Middle,
                                       .cls = "tick-label"});
    }
    return group;
}

double axisRight(const FigureStyle& style, double length)
{
    const Ticks places = axisTicks(style, length);
    if (places.major.empty())
        return style.plotLeft;
    const std::string label = fmt::format("{:.{}f}", places.major.back(), places.decimals);
    return xOf(style, places.major.back()) + style.width(label, style.size) / 2;
}

double axisHeight(const FigureStyle& style)
{
    return tickLength(style) + 0.4 * style.size + style.font.regular.capHeight(style.size);
}

} // namespace profiler
