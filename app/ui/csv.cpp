#include "app/ui/csv.h"

#include "app/ui/table_roles.h"
#include "app/ui/text.h"

#include <QAbstractItemModel>

namespace app {

QString csvOf(const QAbstractItemModel& model)
{
    QString all;
    const auto line = [&](const auto& cell) {
        QStringList cells;
        for (int i = 0; i < model.columnCount(); ++i)
            cells.append(quotedCell(cell(i)));
        all += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    };
    line([&](int i) { return model.headerData(i, Qt::Horizontal).toString(); });
    for (int row = 0; row < model.rowCount(); ++row)
        line([&, row](int i) {
            const QModelIndex cell = model.index(row, i);
            const QString difference = cell.data(kDifferenceRole).toString();
            return difference.isEmpty() ? cell.data().toString()
                                        : cell.data().toString() + QLatin1Char(' ') + difference;
        });
    return all;
}

} // namespace app
