#pragma once

#include <QString>

namespace app {

// Returns the tooltip of a column or metric with this title: term, formula, meaning and source from
// profiler::definitions(); "" if the title has no definition. `value` is the value in the shown
// run: "10.8 %"; "" if unknown.
QString definitionText(const QString& title, const QString& value = {});

} // namespace app
