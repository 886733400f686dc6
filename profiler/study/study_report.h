#pragma once

#include "profiler/study/study.h"

namespace profiler {

// States which scheme (or value of the first axis) has the shortest iteration in how many set-ups,
// and by what factor. "" if there is only one scheme.
std::string studyAnswer(const Study& study, const std::vector<StudyPoint>& points,
                        const std::vector<StudyResult>& results);

// The report as one HTML page that opens offline: question, set-up, answer, charts, results and
// limits. Fails as drawChart() does.
engine::Result<std::string> studyReport(const Study& study, const std::vector<StudyPoint>& points,
                                        const std::vector<StudyResult>& results);

} // namespace profiler
