#pragma once

#include "profiler/figure/scene.h"
#include "profiler/study/chart_style.h"
#include "profiler/study/study.h"

namespace profiler {

// Where a point of the study is drawn in a chart.
struct ChartMark
{
    std::size_t point = 0;
    Rect rect;           // area of the cell, the bar or the marker
    std::size_t row = 0; // number of the row or the line to which the mark belongs
};

struct DrawnChart
{
    Scene scene;
    std::vector<ChartMark> marks;
};

// Draws a chart of a study. Points without a value are hatched in maps and left out elsewhere. A
// chart with nothing to draw states why. Fails if the chart names a column that does not exist.
engine::Result<DrawnChart> drawChart(const Study& study, const StudyChart& chart,
                                     const std::vector<StudyPoint>& points,
                                     const std::vector<StudyResult>& results,
                                     const ChartStyle& style = {});

} // namespace profiler
