#pragma once

#include <QString>

namespace profiler {
struct MeasureInfo;
struct Reading;
} // namespace profiler

namespace app {

// Returns the tooltip of a column or number with this title: title, formula, meaning and source
// from profiler::definitions(). Returns "" if the title has no definition. `value` is the number in
// the shown run, such as "10.8 %"; "" if unknown.
QString definitionText(const QString& title, const QString& value = {});

// Formats the value of a measure with its unit, as the user chose it; "unknown" if there is a
// reason.
QString measureText(const profiler::Reading& value, const profiler::MeasureInfo& of);

} // namespace app
