#pragma once

#include <QString>

class QAbstractItemModel;

namespace app {

// The header and the cells of a table as they are shown. A cell includes its difference.
QString csvOf(const QAbstractItemModel& model);
// A tabular environment that needs no packages.
QString latexOf(const QAbstractItemModel& model);

} // namespace app
