#pragma once

#include <QString>

namespace app {

// Returns the tooltip of a column or number with this title: title, formula, meaning and source
// from profiler::definitions(). Returns "" if the title has no definition. `value` is the number in
// the shown run, such as "10.8 %"; "" if unknown.
QString definitionText(const QString& title, const QString& value = {});

} // namespace app
