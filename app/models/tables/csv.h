#pragma once

#include <QString>

class QAbstractItemModel;

namespace app {

// Returns the table as CSV: the header and the cells as they are shown, each with its difference.
QString csvOf(const QAbstractItemModel& model);

} // namespace app
