#pragma once

#include "profiler/study/study.h"

namespace profiler {

// Returns the report as one HTML page, which can be opened offline: the answers, the question,
// charts, set-up, results and limits. Fails as drawChart() does.
engine::Result<std::string> studyReport(const StudyData& data);

} // namespace profiler
