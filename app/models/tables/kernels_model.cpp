#include "app/models/tables/kernels_model.h"

#include "app/models/numbers.h"
#include "app/models/tables/table_roles.h"
#include "app/models/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <utility>

namespace app {
namespace {

using profiler::KernelRow;
using Column = KernelsModel::Column;

bool isWord(Column column)
{
    return column == Column::Kernel || column == Column::Kind || column == Column::Op;
}

QString microseconds(double nanoseconds)
{
    return number(nanoseconds / 1e3, 1);
}

double valueOf(const KernelRow& row, Column column)
{
    switch (column) {
    case Column::Op:
        return static_cast<double>(row.op);
    case Column::Count:
        return static_cast<double>(row.count);
    case Column::Mean:
        return row.mean();
    case Column::Shortest:
        return static_cast<double>(row.shortest);
    case Column::Longest:
        return static_cast<double>(row.longest);
    case Column::Share:
        return row.share;
    default:
        return static_cast<double>(row.total);
    }
}

} // namespace

KernelsModel::KernelsModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void KernelsModel::show(const engine::Run& run,
                        std::shared_ptr<const profiler::GpuActivity> activity,
                        const profiler::KernelFilter& filter)
{
    beginResetModel();
    m_activity = std::move(activity);
    m_table
        = m_activity ? profiler::kernelTable(run, *m_activity, filter) : profiler::KernelTable();
    arrange();
    endResetModel();
}

void KernelsModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged();
    m_sortedBy = static_cast<Column>(column);
    m_order = order;
    arrange();
    Q_EMIT layoutChanged();
}

// Rows that are equal in the column stay in the order of the analysis: by kind of op, then total.
void KernelsModel::arrange()
{
    const auto isLess = [this](const KernelRow& a, const KernelRow& b) {
        if (m_sortedBy == Column::Kernel)
            return nameOf(a).label < nameOf(b).label;
        if (m_sortedBy == Column::Kind)
            return nameOf(a).kind < nameOf(b).kind;
        return valueOf(a, m_sortedBy) < valueOf(b, m_sortedBy);
    };
    std::ranges::stable_sort(m_table.rows, [&](const KernelRow& a, const KernelRow& b) {
        return m_order == Qt::AscendingOrder ? isLess(a, b) : isLess(b, a);
    });
}

QString KernelsModel::csv() const
{
    QStringList lines = {QStringLiteral("op,kernel,kind,count,total_ns,mean_ns,min_ns,max_ns,"
                                        "share_of_op_percent")};
    for (const KernelRow& row : m_table.rows) {
        const QStringList cells{fromUtf8(engine::kindShortName(row.op)),
                                quotedCell(QString::fromStdString(nameOf(row).full)),
                                fromUtf8(profiler::kernelKindName(nameOf(row).kind)),
                                QString::number(row.count),
                                QString::number(row.total),
                                QString::number(row.mean(), 'f', 1),
                                QString::number(row.shortest),
                                QString::number(row.longest),
                                QString::number(100 * row.share, 'f', 3)};
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

int KernelsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_table.rows.size());
}

int KernelsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString KernelsModel::text(const KernelRow& row, Column column) const
{
    switch (column) {
    case Column::Kernel:
        return QString::fromStdString(nameOf(row).label);
    case Column::Kind:
        return fromUtf8(profiler::kernelKindName(nameOf(row).kind));
    case Column::Op:
        return fromUtf8(engine::kindTitle(row.op));
    case Column::Count:
        return number(static_cast<double>(row.count), 0);
    case Column::Share:
        return number(100 * row.share, 1);
    case Column::Total:
    case Column::Mean:
    case Column::Shortest:
    case Column::Longest:
        return microseconds(valueOf(row, column));
    }
    return {};
}

QVariant KernelsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const KernelRow& row = m_table.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        return column == Column::Kernel ? QVariant(QString::fromStdString(nameOf(row).full))
                                        : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((isWord(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case kShareRole:
        return column == Column::Share ? QVariant(row.share) : QVariant();
    case kKernelKindRole:
        return column == Column::Kernel ? QVariant(static_cast<int>(nameOf(row).kind)) : QVariant();
    case kCodeRole:
        return column == Column::Kernel;
    case kHintRole:
        return column == Column::Kind || column == Column::Op;
    default:
        return {};
    }
}

QVariant KernelsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns)
        return {};
    const auto column = static_cast<Column>(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment((isWord(column) ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Column::Kernel:
        return tr("Kernel");
    case Column::Kind:
        return tr("Kind");
    case Column::Op:
        return tr("Op type");
    case Column::Count:
        return tr("Count");
    case Column::Total:
        return tr("Total, µs");
    case Column::Mean:
        return tr("Mean, µs");
    case Column::Shortest:
        return tr("Min, µs");
    case Column::Longest:
        return tr("Max, µs");
    case Column::Share:
        return tr("Share of op type, %");
    }
    return {};
}

} // namespace app
