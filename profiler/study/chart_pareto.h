#pragma once

#include "profiler/study/chart_canvas.h"

namespace profiler {

// A point of a chart of two numbers, in the units of its axes.
struct ParetoPoint
{
    std::size_t point = 0, row = 0; // of its mark
    double x = 0, y = 0;            // a y beyond the axis is drawn at its end, with a marker
    double least = 0, most = 0;     // the 95 % interval of y; equal: none
    bool isOnFront = false, isSquare = false;
    std::string label = {};
    bool isBold = false; // bold labels are placed first, then those of the front
};
enum class FrontEnds : std::uint8_t { AtPoints, AtEdges };

// Draws the points with their labels, and the front as steps through its points in their order. The
// ends of the front are its points, or the top and the right edge of the plot.
std::vector<SceneMark> drawPareto(ChartCanvas& canvas, std::vector<ParetoPoint> points,
                                  const ChartScale& x, const ChartScale& y, FrontEnds ends);

} // namespace profiler
