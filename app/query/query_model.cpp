#include "app/query/query_model.h"

#include "app/ui/table_roles.h"
#include "app/ui/text.h"

#include <QStringList>

#include <utility>

namespace app {
namespace {

using profiler::QueryValue;
constexpr qsizetype kLongestCell = 120; // characters

// Formats numbers as in SQL, with a decimal point and without thousands separators.
QString plainText(const QueryValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return QString::number(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return QString::number(*real, 'g', 15);
    if (const auto* text = std::get_if<std::string>(&value))
        return QString::fromStdString(*text);
    return {};
}

} // namespace

void QueryModel::show(std::shared_ptr<const profiler::QueryResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int QueryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_result == nullptr ? 0 : static_cast<int>(m_result->rows.size());
}

int QueryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_result == nullptr ? 0 : static_cast<int>(m_result->columns.size());
}

// The first value that is not NULL decides.
bool QueryModel::isOfNumbers(int column) const
{
    for (const auto& row : m_result->rows) {
        const QueryValue& value = row[static_cast<std::size_t>(column)];
        if (!std::holds_alternative<std::monostate>(value))
            return !std::holds_alternative<std::string>(value);
    }
    return false;
}

QVariant QueryModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const QueryValue& value = m_result->rows[static_cast<std::size_t>(index.row())]
                                            [static_cast<std::size_t>(index.column())];
    const bool isNull = std::holds_alternative<std::monostate>(value);
    switch (role) {
    case Qt::DisplayRole: {
        if (isNull)
            return QStringLiteral("NULL");
        QString text = plainText(value).left(kLongestCell + 1).simplified();
        if (text.size() > kLongestCell)
            text = text.left(kLongestCell) + QChar(0x2026);
        return text;
    }
    case Qt::ToolTipRole:
        return plainText(value).size() > kLongestCell ? QVariant(toolTipText(plainText(value)))
                                                      : QVariant();
    case kHintRole:
        return isNull;
    case kCodeRole:
        return std::holds_alternative<std::string>(value);
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    default:
        return {};
    }
}

QVariant QueryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::DisplayRole)
        return QString::fromStdString(m_result->columns[static_cast<std::size_t>(section)]);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(
            (isOfNumbers(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    return {};
}

QString QueryModel::csv() const
{
    if (m_result == nullptr)
        return {};
    QString text;
    const auto add = [&](const QStringList& cells) {
        text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    };
    QStringList cells;
    for (const std::string& column : m_result->columns)
        cells.append(quotedCell(QString::fromStdString(column)));
    add(cells);
    for (const auto& row : m_result->rows) {
        cells.clear();
        for (const QueryValue& value : row)
            cells.append(quotedCell(plainText(value)));
        add(cells);
    }
    return text;
}

} // namespace app
