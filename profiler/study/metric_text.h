#pragma once

#include "engine/base/field.h"
#include "profiler/study/study.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// Returns the values of a column, converted to the unit that columnTitle() states: ms, % or GiB.
engine::Result<std::vector<std::optional<double>>> shownColumn(const StudyData& data,
                                                               std::string_view name);
// The factor by which a value of StudyData::column() is multiplied to get that of shownColumn().
double shownFactor(const StudyData& data, std::string_view column);
// StudyData::amount() in the unit of shownColumn().
std::optional<Amount> shownAmount(const StudyData& data, std::string_view column,
                                  std::size_t point);
std::string amountText(const Amount& amount, int decimals); // "1.20 (1.15 to 1.25)"
// Returns the title of a metric with its unit, or the title of a ratio: "Speed-up over 1F1B".
std::string columnTitle(const StudyData& data, std::string_view column);
// metricNumber() formats a single number of a column with three digits, or a percentage with one
// decimal: "12.3". Numbers that are shown together all have the same number of decimals.
// metricDecimals() returns the number of decimals that the greatest of them needs, and
// tickDecimals() returns the number that the distance of two ticks needs.
std::string metricNumber(std::string_view column, double value);
int metricDecimals(std::string_view column, double greatest);
int tickDecimals(double step);
std::string fixedNumber(double value, int decimals); // "1 020 404"
// Returns a value of an axis as charts name it: "BitPipe" for the scheme "bitpipe".
std::string valueTitle(std::string_view key, const std::string& value);
std::vector<std::string> titlesOf(const StudyAxis& axis); // titles of the axis's values
// Describes the values at which axes are fixed: "micro-batches 8, scheme BitPipe".
std::string whereText(const std::map<std::string, std::string>& where);
// Whether smaller values of a metric or ratio are better.
bool lessIsBetter(const Study& study, std::string_view column);

// The options of `bscope simulate` that have an input field.
std::vector<engine::FieldFacts> simulationFields();
// Whether an axis of this name is an option of schemes (--set), such as `concat`.
bool isSchemeOption(std::string_view key);

// Names of the options that a study can set. They are taken from the labels of the options' input
// fields.

// "Micro-batches N". An option without an input field is named after its key: "Iterations".
std::string optionLabel(std::string_view key);
std::string optionTitle(std::string_view key); // with the unit: "P2P message, units"
// The number of a value of an axis, memory in GiB; nullopt for a name.
std::optional<double> axisNumber(std::string_view value);
std::string asWord(std::string label); // "Micro-batches N" -> "micro-batches"
// Returns the name for use within a sentence, without symbol and unit: "micro-batches".
std::string optionWord(std::string_view key);
std::string optionSymbol(std::string_view key); // "N" for micro-batches; "" if there is none

} // namespace profiler
