#pragma once

#include "profiler/study/study.h"

namespace profiler {

// A study as TOML. A window starts a new study from a form, so the same file also has what a form
// needs: the values of an option as text, and a grid that keeps only what fits to it.

// Errors name `source` and the key or line.
engine::Result<Study> readStudy(std::string_view toml, std::string_view source);
// readStudy() returns an equal study if the axes are sorted by key.
std::string studyToml(const Study& study);
// Returns the part that determines the results of the points: everything except texts, ratios,
// charts and answers.
std::string pointsToml(Study study);

// Returns the values of an option: those of its axis, or its fixed value. Returns an empty list if
// the study does not set the option.
std::vector<std::string> optionValues(const Study& study, std::string_view key);
// Sets the values of an option. Several values make it an axis of the grid; without values the
// option is removed. Ratios, charts and answers that no longer fit to the grid are removed.
void setOption(Study& study, std::string_view key, std::vector<std::string> values);

// Parses "4, 8, 16" or "0 to 0.5, 21 steps"; the steps include both ends. Fails with
// Error::Code::InvalidArgument.
engine::Result<std::vector<std::string>> parseValues(std::string_view text);
std::string valuesText(const std::vector<std::string>& values); // the inverse of parseValues()

} // namespace profiler
