#pragma once

#include <QString>

class QAbstractItemModel;

namespace app {

// The table as CSV: header and cells as shown, each with its difference.
QString csvOf(const QAbstractItemModel& model);

} // namespace app
