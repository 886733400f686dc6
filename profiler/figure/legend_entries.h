#pragma once

#include "profiler/figure/palette.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// What a legend explains: chunks by kind of op, and the rest.
struct LegendContent
{
    std::map<engine::OpKind, std::set<int>> chunks;
    bool isUp = false, hasBubble = false, hasExposed = false;
};

struct LegendEntry
{
    enum class Look : std::uint8_t { Fills, Up, Bubble, Wait };

    Look look = Look::Fills;
    std::vector<Colour> fills; // one swatch each; of Up, Bubble and Wait one that is not drawn
    std::string text, shortText;
    std::vector<OpHatch> hatches = {}; // [fill]; empty: plain
    std::optional<Colour> edge = {};
};

// The entries of a legend in their order, for the window and for figures.
std::vector<LegendEntry> legendEntries(const LegendContent& content, const Palette& palette);

// The place of an entry: its line, and its distance from the begin of the line.
struct LegendPosition
{
    int line = 0;
    double x = 0;
};
// Entries in lines of `width`, from left to right; an entry wider than a line has its own.
std::vector<LegendPosition> legendPositions(std::span<const double> widths, double gap,
                                            double width);

} // namespace profiler
