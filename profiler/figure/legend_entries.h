#pragma once

#include "profiler/figure/palette.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// The properties of a drawing that determine its legend.
struct LegendContent
{
    std::map<engine::OpKind, std::set<int>> chunks;
    bool isUp = false, hasBubble = false, hasExposed = false;
    ColourBy by = ColourBy::Operation;
    int groups = 1;      // number of colour groups: micro-batches, stages, directions or chunks
    std::string longest; // duration of the longest op: "3.2 ms"
};

struct LegendEntry
{
    enum class Look : std::uint8_t { Fills, Up, Bubble, Wait, Guest, Path, Interval };

    Look look = Look::Fills;
    // The fill of each swatch. The looks Up, Bubble and Wait have one fill, which is not drawn.
    std::vector<Colour> fills;
    std::string text, shortText;
    std::vector<OpHatch> hatches = {}; // one per fill; empty: all fills are plain
    std::optional<Colour> edge = {};
};

std::vector<LegendEntry> legendEntries(const LegendContent& content, const Palette& palette);

// The position of an entry: its line, and its x within that line.
struct LegendPosition
{
    int line = 0;
    double x = 0;
};
// Places entries from left to right in lines of `width`. An entry wider than `width` is alone on
// its line.
std::vector<LegendPosition> legendPositions(std::span<const double> widths, double gap,
                                            double width);

} // namespace profiler
