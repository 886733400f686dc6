#pragma once

#include "profiler/study/study.h"

namespace profiler {

// Returns the values of an option: those of its axis, or its fixed value. Returns an empty list if
// the study does not set the option.
std::vector<std::string> optionValues(const Study& study, std::string_view key);

// Sets the values of an option. Several values make it an axis of the grid; without values the
// option is removed. A chart that is fixed at a removed value is fixed at the first value instead;
// a chart that uses a removed axis is removed. Ratios are unchanged, so readStudy() may refuse
// their baseline.
void setOption(Study& study, std::string_view key, std::vector<std::string> values);

// Removes the ratio with this index, and the charts and answers that show it.
void removeRatio(Study& study, std::size_t index);
// The axes that a chart uses as x, series or rows.
std::vector<std::string> axesOf(const StudyChart& chart);
// Repairs StudyChart::where (the axes at which a chart is fixed, with their values) after a change
// of the grid. Axes that the chart uses, or that the grid lacks, are removed. Every other axis with
// several values is fixed. A value that no longer exists is replaced by the first one.
void repairWhere(const Study& study, StudyChart& chart);

// Parses "4, 8, 16" or "0 to 0.5, 21 steps"; the steps include both ends. Fails with
// Error::Code::InvalidArgument.
engine::Result<std::vector<std::string>> parseValues(std::string_view text);
std::string valuesText(const std::vector<std::string>& values); // the inverse of parseValues()

// Returns as TOML the part of a study that determines the results of its points: everything except
// texts, ratios, charts and answers.
std::string pointsToml(Study study);
// Returns the TOML of a study. readStudy() returns an equal study from it if the axes are sorted by
// key.
std::string studyToml(const Study& study);

// Returns a chart (such as a heat map or lines) of a metric or ratio `y` over an axis, with one
// series for each compared value. Other axes are fixed at the values of `point`.
StudyChart chartOver(const Study& study, StudyChart::Kind kind, std::string_view y,
                     std::string_view axis, const StudyPoint& point);
// Returns the Pareto chart of two columns (metrics or ratios).
StudyChart frontOf(const Study& study, std::string_view x, std::string_view y,
                   const StudyPoint& point);

} // namespace profiler
