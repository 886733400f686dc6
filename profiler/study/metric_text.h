#pragma once

#include "profiler/study/study.h"

namespace profiler {

// Returns a column in the unit that columnTitle() states: ms, % or GiB.
engine::Result<std::vector<std::optional<double>>>
shownColumn(const Study& study, const std::vector<StudyPoint>& points,
            const std::vector<StudyResult>& results, std::string_view name);
// The factor from a value of columnOf() to one of shownColumn().
double shownFactor(const std::vector<StudyResult>& results, std::string_view column);
// Returns the title of a metric with its unit, or a ratio: "Speed-up over 1F1B".
std::string columnTitle(const Study& study, const std::vector<StudyResult>& results,
                        std::string_view column);
std::string metricNumber(std::string_view column, double value); // "12.3"
// Returns a value of an axis as charts name it: "BitPipe" for the scheme "bitpipe".
std::string valueTitle(std::string_view key, const std::string& value);
// Whether smaller values of a metric or ratio are better.
bool lessIsBetter(const Study& study, std::string_view column);

} // namespace profiler
