#pragma once

#include "profiler/study/chart_canvas.h"

#include <functional>

namespace profiler {

struct BarPart
{
    std::string name;
    Colour fill;
    double value = 0;      // in the unit of the chart
    bool isBubble = false; // hatched
};
struct BarRow
{
    std::size_t run = 0; // the point of its mark
    std::string title;
    std::vector<BarPart> parts; // from the left
    bool isApart = false;       // a line above separates the run from the others

    double total() const;
};
struct BarTexts
{
    std::string title, unit;
    int decimals = 1;
    std::function<std::string(double value, int decimals)> number;
};
// Draws one bar per run, with the values of its parts where they fit.
MarkedScene drawBars(const BarTexts& texts, const std::vector<BarRow>& rows,
                     const ChartStyle& style, const Palette& palette);

// Shortens the title of a run to a width, but not the "#3" at its end, which distinguishes runs.
std::string shortenedTitle(std::string_view title, double width);

} // namespace profiler
