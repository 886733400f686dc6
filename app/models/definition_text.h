#pragma once

#include <QString>

namespace app {

// The tooltip of a column or metric with this title: term, formula, meaning and source from
// profiler::definitions(). "" if the title is not that of a defined number. `value` is that of the
// shown run: "10.8 %"; "" if there is not one.
QString definitionText(const QString& title, const QString& value = {});

} // namespace app
