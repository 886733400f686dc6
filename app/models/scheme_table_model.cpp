#include "app/models/scheme_table_model.h"

#include "app/models/numbers.h"
#include "app/models/table_roles.h"
#include "app/models/text.h"

#include <algorithm>

namespace app {
namespace {

const Thumbnail* thumbnailOf(const SchemeTableModel::Row& row)
{
    return row.prediction() == nullptr ? nullptr : &row.prediction()->thumbnail;
}

} // namespace

SchemeTableModel::SchemeTableModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void SchemeTableModel::reset(std::vector<Row> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void SchemeTableModel::answer(const QString& scheme,
                              std::shared_ptr<const engine::Result<Prediction>> answer)
{
    const int row = rowOf(scheme);
    if (row < 0)
        return;
    m_rows[static_cast<std::size_t>(row)].answer = std::move(answer);
    Q_EMIT dataChanged(index(row, 0), index(row, kColumns - 1));
}

int SchemeTableModel::rowOf(const QString& scheme) const
{
    const auto found = std::ranges::find(m_rows, scheme, &Row::scheme);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void SchemeTableModel::setChosen(const QString& scheme)
{
    m_chosen = scheme;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int SchemeTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SchemeTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString SchemeTableModel::text(const Row& row, Column column) const
{
    if (column == Column::Scheme)
        return row.title;
    const Prediction* prediction = row.prediction();
    if (prediction == nullptr)
        return column == Column::Iteration ? row.condition : QString();
    const profiler::RunMetrics& metrics = prediction->metrics;
    switch (column) {
    case Column::Iteration:
        return unitsText(prediction->thumbnail.duration);
    case Column::Bubble:
        return number(metrics.bubbleRatio * 100, 1);
    case Column::Stash:
        return number(largestStash(metrics), 1);
    case Column::Weights:
        return unitsText(largestWeights(metrics));
    case Column::Messages:
        return number(metrics.messages, 0);
    case Column::Local:
        return number(metrics.localCopies, 0);
    case Column::Scheme:
        break;
    }
    return {};
}

double SchemeTableModel::longest() const
{
    double units = 1;
    for (const Row& row : m_rows) {
        if (row.prediction() != nullptr)
            units = std::max(units, row.prediction()->thumbnail.duration);
    }
    return units;
}

QVariant SchemeTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = at(index.row());
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::TextAlignmentRole:
        return headerData(row.condition.isEmpty() ? index.column() : 0, Qt::Horizontal, role);
    case Qt::ToolTipRole:
        return row.condition;
    case kStrongRole:
        return row.scheme == m_chosen && column == Column::Scheme;
    case kHintRole:
        return row.prediction() == nullptr;
    case kSpanRole:
        return !row.condition.isEmpty() && column == Column::Iteration;
    case kThumbnailRole:
        if (column == Column::Scheme)
            return QVariant::fromValue(thumbnailOf(row));
        return {};
    case kThumbnailWidthRole:
        return row.prediction() == nullptr ? 0 : row.prediction()->thumbnail.duration / longest();
    case kShareRole:
        if (column == Column::Bubble && row.prediction() != nullptr)
            return row.prediction()->metrics.bubbleRatio;
        return {};
    default:
        return {};
    }
}

QVariant SchemeTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole)
        return {};
    const QStringList titles
        = {tr("Scheme"),      tr("Iteration, units"), tr("Bubble, %"), tr("Peak stash, Mₐ"),
           tr("Weights, Mθ"), tr("Messages"),         tr("Local")};
    return titles.value(section);
}

double largestStash(const profiler::RunMetrics& metrics)
{
    double largest = 0;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        largest = std::max(largest, device.peakStash);
    return largest;
}

double largestWeights(const profiler::RunMetrics& metrics)
{
    double largest = 0;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        largest = std::max(largest, device.weights);
    return largest;
}

} // namespace app
