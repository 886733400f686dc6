#pragma once

#include "profiler/study/chart_kit.h"

#include <optional>

namespace profiler {

struct WaterfallBar
{
    std::string name{}, value{}; // below and above the bar; `name` may have two lines
    double size = 0;
    Colour fill{};
    // Whether it starts at zero and not where the bar before it ends.
    bool isTotal = false;
    bool isHatched = false;
    std::optional<std::size_t> point{}; // of its mark; nullopt: it cannot be chosen
};
// Draws bars from left to right, each of which starts where the one before it ends.
MarkedScene drawWaterfall(const std::vector<WaterfallBar>& bars, const ChartStyle& style);

} // namespace profiler
