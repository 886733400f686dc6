#pragma once

#include "profiler/study/chart.h"
#include "profiler/study/chart_canvas.h"

namespace profiler {

// A chart while it is drawn.
struct ChartSheet
{
    explicit ChartSheet(const ChartStyle& style)
        : canvas(style)
        , height(style.height)
    { }
    void mark(std::size_t point, const Rect& rect, std::size_t row)
    {
        marks.push_back({point, rect, row});
    }
    void markAround(std::size_t point, double x, double y, std::size_t row)
    {
        constexpr double kReach = 7;
        mark(point, {x - kReach, y - kReach, 2 * kReach, 2 * kReach}, row);
    }

    ChartCanvas canvas;
    double height;
    std::vector<SceneMark> marks;
};

} // namespace profiler
