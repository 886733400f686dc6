#pragma once

#include "engine/timeline/timeline.h"
#include "profiler/figure/font_metrics.h"
#include "profiler/figure/scene.h"

#include <algorithm>
#include <string>
#include <vector>

namespace profiler {

// The unit in which a figure prints times.
struct TimeUnit
{
    std::string name = "F"; // "F", "ms"
    double units = 1;       // cost units or ns in one unit of the axis
};
TimeUnit timeUnit(double longestNanoseconds);

// The sizes, colours and the scale that all parts of a figure share. Lengths are in points.
struct FigureStyle
{
    Palette palette;
    FontFace font;
    // Font sizes of labels and of micro-batch numbers.
    double size = 5.5, digitSize = 5.5;
    // Whether the figure is a schematic, for runs in abstract units: edges in ink, no gaps between
    // rows.
    bool schematic = false;
    // Whether all rows of a run have the same share of bubbles, which is then printed once.
    bool sharesAreEqual = false;
    // The left and right ends of the longest iteration on the page.
    double plotLeft = 0, plotRight = 0;
    double pageWidth = 0;
    // The lanes below each row. All rows have the same lanes, also without a span.
    std::vector<engine::Track::Kind> lanes = {};
    TimeUnit unit;
    double pointsPerUnit = 1;
    double axisBegin = 0; // time at plotLeft, in `unit`

    double rowHeight() const { return 1.9 * size; }
    double rowGap() const { return schematic ? 0 : 0.27 * size; }
    double laneHeight() const { return 0.55 * rowHeight(); }
    // Height of the lanes of a row and of the space around them.
    double lanesHeight() const
    {
        return lanes.empty() ? 0
                             : static_cast<double>(lanes.size()) * (laneHeight() + 1) + 0.6 * size;
    }
    double edgeWidth() const { return schematic ? 0.4 : 0.25; }
    Colour edge(Colour fill) const
    {
        return schematic ? palette.darkInk : mix(fill, palette.darkInk, 0.35);
    }
    // The hatch over an op's box, for palettes that must work without colour.
    Hatch hatchOver(const Box& box, OpHatch hatch) const
    {
        const double in = box.stroke / 2; // inside the edge of the box
        return {.rect = {box.rect.x + in, box.rect.y + in, box.rect.width - 2 * in,
                         box.rect.height - 2 * in},
                .fill = box.fill,
                .line = palette.hatchLine(box.fill),
                .spacing = 0.5 * size / std::max(1, hatch.density),
                .width = 0.05 * size,
                .cls = "hatch",
                .lines = hatch.lines,
                .cut = box.cut,
                .hasGround = false};
    }
    Colour secondary() const { return mix(palette.ink, palette.surface, 0.30); }
    double width(const std::string& text, double points) const
    {
        return font.regular.width(text, points);
    }
    double boldWidth(const std::string& text) const { return font.bold.width(text, size); }
    // Centres the capitals and digits of a text of size `points` vertically at `y`.
    double baseline(double y, double points) const
    {
        return y + font.regular.capHeight(points) / 2;
    }
};

// Converts times of one run to positions on the page.
struct FigureScale
{
    double left = 0, pointsPerTick = 1;
    std::int64_t begin = 0;

    double x(std::int64_t tick) const { return left + (tick - begin) * pointsPerTick; }
};

std::string percentText(double share);                  // "14.3 %", thin space before the sign
std::string signedPercentText(double share);            // "−14.2 %", "+3.1 %"
std::string unitNumber(double value, int decimals = 1); // "26.5", "14": no trailing ".0"
std::string pointText(double points);                   // a length in a file: "239.76", "-0.5", "0"

} // namespace profiler
