#pragma once

#include "profiler/figure/scene.h"
#include "profiler/study/chart_style.h"
#include "profiler/study/study.h"

namespace profiler {

// Draws a chart of a study. Points without a value are hatched in maps and left out elsewhere. A
// chart with nothing to draw states why. Fails if the chart names a column that does not exist.
engine::Result<MarkedScene> drawChart(const Study& study, const StudyChart& chart,
                                      const std::vector<StudyPoint>& points,
                                      const std::vector<StudyResult>& results,
                                      const ChartStyle& style = {});

} // namespace profiler
