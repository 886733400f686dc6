#include "app/study/point_model.h"

#include "app/ui/text.h"

namespace app {

PointModel::PointModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(tr("selected")), {});
}

void PointModel::show(const profiler::PointSummary& summary)
{
    reset(columns(fromUtf8(summary.name)), summary.rows);
}

PointModel::Columns PointModel::columns(const QString& name)
{
    using Row = profiler::PointSummary::Row;
    TableColumn<Row> own(name, [](const Row& row) { return fromUtf8(row.value); });
    own.with(kStrongRole, [](const Row&) { return QVariant(true); });
    return {TableColumn<Row>(
                {}, [](const Row& row) { return fromUtf8(row.title); }, Qt::AlignLeft),
            own,
            TableColumn<Row>(tr("best here"), [](const Row& row) { return fromUtf8(row.best); }),
            TableColumn<Row>(
                tr("reached by"), [](const Row& row) { return fromUtf8(row.bestNames); },
                Qt::AlignLeft)};
}

} // namespace app
