#pragma once

#include "app/models/definition_text.h"
#include "app/models/numbers.h"
#include "app/models/tables/table_roles.h"
#include "app/models/text.h"

#include <QAbstractTableModel>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

namespace app {

using SortValue = std::variant<double, QString>;

// The title of a column: a text such as "Device", a text such as "Peak, %1" with the scale whose
// unit replaces %1, or a function that returns the title.
struct ColumnTitle
{
    // NOLINTBEGIN(google-explicit-constructor): a column is described by an initializer list
    ColumnTitle(const QString& title = {})
        : shown([title] { return title; })
    { }
    ColumnTitle(const QString& title, const Scale& scale)
        : shown([=] { return title.arg(scale.unit()); })
    { }
    ColumnTitle(std::function<QString()> title)
        : shown(std::move(title))
    { }
    // NOLINTEND(google-explicit-constructor)

    std::function<QString()> shown;
};

// A column, described by functions of a row. Without a sort value, the column is sorted by its
// text. A role (of table_roles.h or any other) that returns no value for a row keeps its default
// there.
template<typename Row>
struct TableColumn
{
    using Cell = std::function<QVariant(const Row&)>;
    using Text = std::function<QString(const Row&)>;
    using Sort = std::function<SortValue(const Row&)>;

    TableColumn(ColumnTitle header, Text shown, Qt::AlignmentFlag align = Qt::AlignRight)
        : title(std::move(header))
        , text(std::move(shown))
        , alignment(align)
    { }
    TableColumn& sortedBy(Sort value) { return sortValue = std::move(value), *this; }
    TableColumn& with(int role, Cell cell)
    {
        return roles.emplace_back(role, std::move(cell)), *this;
    }

    ColumnTitle title;
    Text text;
    Qt::AlignmentFlag alignment;
    Sort sortValue;
    std::vector<std::pair<int, Cell>> roles;
};

inline constexpr auto kAlways = [](const auto&) { return QVariant(true); };

// A read-only table of TableColumns. Sorting is stable, and persistent indexes follow their rows.
template<typename Row>
class TableModel : public QAbstractTableModel
{
public:
    using QAbstractTableModel::QAbstractTableModel;

    const Row& at(int shown) const { return m_rows[m_order[static_cast<std::size_t>(shown)]]; }

    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }

    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }

    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override
    {
        if (!index.isValid())
            return {};
        const TableColumn<Row>& column = m_columns[static_cast<std::size_t>(index.column())];
        const Row& row = at(index.row());
        for (const auto& [special, cell] : column.roles)
            if (special == role)
                if (QVariant value = cell(row); value.isValid())
                    return role == Qt::ToolTipRole ? toolTipText(value.toString()) : value;
        switch (role) {
        case Qt::DisplayRole:
            return column.text(row);
        case Qt::TextAlignmentRole:
            return headerData(index.column(), Qt::Horizontal, role);
        default:
            return {};
        }
    }

    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override
    {
        if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
            return {};
        const TableColumn<Row>& column = m_columns[static_cast<std::size_t>(section)];
        if (role == Qt::TextAlignmentRole)
            return QVariant::fromValue(Qt::Alignment(column.alignment | Qt::AlignVCenter));
        if (role == Qt::ToolTipRole)
            return headerToolTip(section, column.title.shown());
        return role == Qt::DisplayRole ? QVariant(column.title.shown()) : QVariant();
    }

    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override
    {
        Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
        m_sortColumn = column;
        m_sortOrder = order;
        const std::vector<std::size_t> before = std::exchange(m_order, sorted());
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

protected:
    using Columns = std::vector<TableColumn<Row>>;

    // The definition of the numbers in a column; an invalid QVariant if there is none.
    virtual QVariant headerToolTip(int /*section*/, const QString& title) const
    {
        const QString text = definitionText(title);
        return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
    }

    // The rows in the order in which they were set; sorting does not change it.
    const std::vector<Row>& rows() const { return m_rows; }

    void reset(Columns columns, std::vector<Row> rows)
    {
        beginResetModel();
        m_columns = std::move(columns);
        m_rows = std::move(rows);
        m_order = sorted();
        endResetModel();
    }

    // Replaces the columns; their number must stay the same.
    void describe(Columns columns)
    {
        m_columns = std::move(columns);
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    }

    // Replaces the rows [first, first + changed.size()) and appends those beyond the end, which are
    // shown last until the next sort().
    void update(std::size_t first, std::vector<Row> changed)
    {
        const std::size_t known = std::min(changed.size(), m_rows.size() - first);
        const auto added = changed.begin() + static_cast<std::ptrdiff_t>(known);
        std::move(changed.begin(), added, m_rows.begin() + static_cast<std::ptrdiff_t>(first));
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        if (added == changed.end())
            return;
        const auto end = m_rows.size() + changed.size() - known;
        beginInsertRows({}, rowCount(), static_cast<int>(end) - 1);
        std::move(added, changed.end(), std::back_inserter(m_rows));
        while (m_order.size() < end)
            m_order.push_back(m_order.size());
        endInsertRows();
    }

    void sortAgain() { sort(m_sortColumn, m_sortOrder); }

    // Rows of a lower rank come first in any sort order.
    virtual int rank(const Row&) const { return 0; }

private:
    std::vector<std::size_t> sorted() const
    {
        std::vector<std::size_t> order(m_rows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::pair<int, SortValue>> keys;
        for (const Row& row : m_rows)
            keys.emplace_back(rank(row), sortValue(row));
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
            if (keys[a].first != keys[b].first)
                return keys[a].first < keys[b].first;
            return m_sortOrder == Qt::AscendingOrder ? keys[a].second < keys[b].second
                                                     : keys[b].second < keys[a].second;
        });
        return order;
    }

    SortValue sortValue(const Row& row) const
    {
        if (m_sortColumn < 0 || m_sortColumn >= columnCount())
            return 0.0;
        const TableColumn<Row>& column = m_columns[static_cast<std::size_t>(m_sortColumn)];
        return column.sortValue ? column.sortValue(row) : SortValue(column.text(row));
    }

    Columns m_columns;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_order; // index into m_rows of each shown row
    int m_sortColumn = -1;            // -1: unsorted
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

} // namespace app
