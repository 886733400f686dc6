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

} // namespace profiler
