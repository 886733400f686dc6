#include "app/ui/table_model.h"

#include <numeric>

namespace app {

SortValue settingSort(const QString& value)
{
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber ? SortValue(number) : SortValue(value);
}

int SortedTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
}

QVariant SortedTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const std::size_t row = rowAt(index.row());
    if (QVariant value = cellRole(index.column(), row, role); value.isValid())
        return role == Qt::ToolTipRole ? toolTipText(value.toString()) : value;
    switch (role) {
    case Qt::DisplayRole:
        return cellText(index.column(), row);
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    default:
        return {};
    }
}

QVariant SortedTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const ColumnHead& head = columnHead(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(head.alignment | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole)
        return headerToolTip(section, head.title.shown());
    if (role == kSpanRole)
        return mayHave(section, role);
    return role == Qt::DisplayRole ? QVariant(head.title.shown()) : QVariant();
}

QVariant SortedTable::headerToolTip(int section, const QString& title) const
{
    const QString text = definitionText(title) + columnHead(section).remark;
    return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
}

void SortedTable::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    m_sortColumn = column;
    m_sortOrder = order;
    const std::vector<std::size_t> before = m_order;
    sortRows(before.size());
    std::vector<int> shown(m_order.size());
    for (std::size_t i = 0; i < m_order.size(); ++i)
        shown[m_order[i]] = static_cast<int>(i);
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex& place : from)
        to.append(index(shown[before[static_cast<std::size_t>(place.row())]], place.column()));
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

void SortedTable::sortRows(std::size_t rows)
{
    m_order.resize(rows);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    const bool isSorted = m_sortColumn >= 0 && m_sortColumn < columnCount();
    if (!isSorted && std::ranges::all_of(m_order, [&](auto row) { return rowRank(row) == 0; }))
        return;
    std::vector<std::pair<int, SortValue>> keys;
    keys.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row)
        keys.emplace_back(rowRank(row), isSorted ? cellSort(m_sortColumn, row) : SortValue(0.0));
    std::ranges::stable_sort(m_order, [&](std::size_t a, std::size_t b) {
        if (keys[a].first != keys[b].first)
            return keys[a].first < keys[b].first;
        return m_sortOrder == Qt::AscendingOrder ? keys[a].second < keys[b].second
                                                 : keys[b].second < keys[a].second;
    });
}

void SortedTable::appendRows(std::size_t rows)
{
    while (m_order.size() < rows)
        m_order.push_back(m_order.size());
}

} // namespace app
