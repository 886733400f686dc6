#pragma once

#include "profiler/study/study.h"

namespace profiler {

// The values of an option: those of its axis, or its fixed value; empty if the study leaves it out.
std::vector<std::string> optionValues(const Study& study, std::string_view key);

// Sets the values of an option. Several values make it an axis of the grid; without values the
// option is removed. Charts that name a removed value name the first value instead, and charts of a
// removed axis are removed. Ratios are unchanged, so readStudy() may refuse their baseline.
void setOption(Study& study, std::string_view key, std::vector<std::string> values);

// Replaces the ratio with this index, or adds a ratio if the index is the number of ratios. Charts
// and answers that show the ratio follow its new name.
void setRatio(Study& study, std::size_t index, StudyRatio ratio);
// Removes the ratio with this index, and the charts and answers that show it.
void removeRatio(Study& study, std::size_t index);
// The axes that a chart uses as x, series or rows.
std::vector<std::string> axesOf(const StudyChart& chart);
// Repairs StudyChart::where after a change of the grid: drops the axes that the chart uses or the
// grid lacks, and fixes every other axis with several values. A value that does not exist any more
// is replaced by the first one.
void repairWhere(const Study& study, StudyChart& chart);

// Parses "4, 8, 16" or "0 to 0.5, 21 steps"; the steps include both ends. Fails with
// Error::Code::InvalidArgument.
engine::Result<std::vector<std::string>> parseValues(std::string_view text);
std::string valuesText(const std::vector<std::string>& values); // the inverse of parseValues()

// The TOML of the parts of a study that determine the results of its points: all except texts,
// ratios, charts and answers.
std::string pointsToml(Study study);
// The TOML of a study; readStudy() returns an equal study if its axes are sorted by key.
std::string studyToml(const Study& study);

// The heat map (or lines) of a metric or ratio over an axis, with a series per compared value.
// Other axes are fixed at the values of `point`.
StudyChart chartOver(const Study& study, StudyChart::Kind kind, std::string_view y,
                     std::string_view axis, const StudyPoint& point);
// The Pareto chart of two columns.
StudyChart frontOf(const Study& study, std::string_view x, std::string_view y,
                   const StudyPoint& point);

} // namespace profiler
