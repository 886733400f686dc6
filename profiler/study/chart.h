#pragma once

#include "profiler/figure/scene.h"
#include "profiler/study/chart_kit.h"
#include "profiler/study/study.h"

namespace profiler {

// Draws a chart of a study. Points without a value are hatched in maps and crossed in lines and
// bars. A chart with nothing to draw states why. Fails if the chart names a column that does not
// exist.
engine::Result<MarkedScene> drawChart(const StudyData& data, const StudyChart& chart,
                                      const ChartStyle& style = {});

// The size of a printed chart in points. Height 0: as high as a chart of this width should be.
struct PrintSize
{
    double width = 0, height = 0, fontSize = 0;
};
engine::Result<Scene> drawPrintedChart(const StudyData& data, const StudyChart& chart,
                                       const PrintSize& size);

} // namespace profiler
