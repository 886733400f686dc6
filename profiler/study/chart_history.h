#pragma once

#include "profiler/study/chart_kit.h"

namespace profiler {

// A run of a history, in the unit of the chart.
struct HistoryMark
{
    std::string name;                      // below the axis
    double value = 0, least = 0, most = 0; // with its interval; equal: none
    // Whether a line connects it with the mark before, because their conditions are the same.
    bool continues = false;
    bool isChanged = false; // whether its change is distinguishable
};
// Draws a number of many runs from left to right. Each is the point of its mark.
MarkedScene drawHistory(const std::vector<HistoryMark>& runs, const std::string& title,
                        const ChartStyle& style = {});

} // namespace profiler
