#include "app/models/tables/iterations_model.h"

#include "app/models/tables/table_roles.h"
#include "profiler/analysis/metrics.h"

#include <algorithm>

namespace app {
namespace {

using Kind = engine::Iteration::Kind;

QString nameOf(Kind kind, int number)
{
    if (kind == Kind::Replay)
        return IterationsModel::tr("median replay");
    return kind == Kind::Warmup ? IterationsModel::tr("warm-up %1").arg(number)
                                : QString::number(number);
}

} // namespace

std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first)
{
    std::vector<IterationRow> rows;
    for (std::size_t i = first; i < run.timeline.iterations.size(); ++i) {
        const engine::Iteration& iteration = run.timeline.iterations[i];
        IterationRow row{iteration.kind,
                         iteration.number,
                         iteration.window.duration(),
                         0,
                         iteration.loss,
                         iteration.gradientNorm,
                         {}};
        if (const auto metrics = profiler::metrics(run, static_cast<int>(i))) {
            row.bubbleRatio = metrics->bubbleRatio;
            row.tokensPerSecond = metrics->tokensPerSecond;
        }
        rows.push_back(row);
    }
    return rows;
}

QString iterationName(const engine::Timeline& timeline, int iteration)
{
    if (iteration < 0 || iteration >= static_cast<int>(timeline.iterations.size()))
        return {};
    const engine::Iteration& chosen = timeline.iterations[static_cast<std::size_t>(iteration)];
    return nameOf(chosen.kind, chosen.number);
}

IterationsModel::IterationsModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void IterationsModel::update(const engine::RunInfo& info, std::size_t first,
                             std::vector<IterationRow> rows)
{
    if (rows.empty() || first > m_rows.size())
        return;
    m_time = timeScale(info, rows.front().duration);
    const std::size_t end = first + rows.size();
    if (end > m_rows.size()) {
        beginInsertRows({}, static_cast<int>(m_rows.size()), static_cast<int>(end) - 1);
        m_rows.resize(end);
        std::ranges::move(rows, m_rows.begin() + static_cast<std::ptrdiff_t>(first));
        endInsertRows();
    } else {
        std::ranges::move(rows, m_rows.begin() + static_cast<std::ptrdiff_t>(first));
    }
    Q_EMIT dataChanged(index(static_cast<int>(first), 0),
                       index(static_cast<int>(end) - 1, kColumns - 1));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
}

void IterationsModel::clear()
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
}

int IterationsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int IterationsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString IterationsModel::text(const IterationRow& row, Column column) const
{
    const auto none = QStringLiteral("–");
    switch (column) {
    case Column::Iteration:
        return nameOf(row.kind, row.number);
    case Column::Duration:
        return m_time.text(static_cast<double>(row.duration));
    case Column::Bubble:
        return number(row.bubbleRatio * 100, 1);
    case Column::Loss:
        return row.loss ? number(*row.loss, 2) : none;
    case Column::GradientNorm:
        return row.gradientNorm ? number(*row.gradientNorm, 3) : none;
    case Column::Tokens:
        return row.tokensPerSecond ? number(*row.tokensPerSecond / 1000, 1) : none;
    }
    return {};
}

QVariant IterationsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const IterationRow& row = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (column == Column::Iteration ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case kHintRole:
        return row.kind == Kind::Warmup;
    case kStrongRole:
        return row.kind == Kind::Replay;
    default:
        return {};
    }
}

QVariant IterationsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns)
        return {};
    const auto column = static_cast<Column>(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(
            (column == Column::Iteration ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Column::Iteration:
        return tr("Iteration");
    case Column::Duration:
        return m_time.unit;
    case Column::Bubble:
        return tr("Bubble, %");
    case Column::Loss:
        return tr("Loss");
    case Column::GradientNorm:
        return tr("Gradient norm");
    case Column::Tokens:
        return tr("k tokens/s");
    }
    return {};
}

} // namespace app
