#pragma once

#include "profiler/figure/scene.h"
#include "profiler/study/study.h"

namespace profiler {

// Draws a chart of a study, 720 points wide. Points without a value are left out; if no point has a
// value, the chart states this. Fails if the chart names a column that does not exist.
engine::Result<Scene> drawChart(const Study& study, const StudyChart& chart,
                                const std::vector<StudyPoint>& points,
                                const std::vector<StudyResult>& results);

} // namespace profiler
