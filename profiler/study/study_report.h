#pragma once

#include "profiler/study/study.h"

namespace profiler {

// Returns a sentence for each of Study::answers. If there are none, the sentence states which
// scheme (or other compared value) has the shortest iteration, in how many set-ups, and by what
// factor. Returns "" if only one value is compared.
std::string studyAnswer(const Study& study, const std::vector<StudyPoint>& points,
                        const std::vector<StudyResult>& results);

// Returns the report as one HTML page, which can be opened offline: question, set-up, answer,
// charts, results and limits. Fails as drawChart() does.
engine::Result<std::string> studyReport(const Study& study, const std::vector<StudyPoint>& points,
                                        const std::vector<StudyResult>& results);

} // namespace profiler
