#pragma once

#include <QString>

class QAbstractItemModel;

namespace app {

// Returns the header and the cells as they are shown, as CSV. A cell includes its difference.
QString csvOf(const QAbstractItemModel& model);

} // namespace app
