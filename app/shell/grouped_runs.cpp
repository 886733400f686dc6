#include "app/shell/grouped_runs.h"

#include "app/ui/text.h"

#include <algorithm>

namespace app {

GroupedRuns::GroupedRuns(RunsModel& runs, QObject* parent)
    : QAbstractListModel(parent)
    , m_runs(runs)
    , m_rows(arranged())
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(0);
    // Rearranging can wait, because new runs are at the end and leave the rows of the others valid.
    connect(&runs, &RunsModel::rowsInserted, &m_soon, qOverload<>(&QTimer::start));
    connect(&m_soon, &QTimer::timeout, this, [this] {
        if (arranged() != m_rows)
            rebuild();
    });
    connect(&runs, &RunsModel::rowsRemoved, this, &GroupedRuns::rebuild);
    connect(&runs, &RunsModel::rowsMoved, this, &GroupedRuns::rebuild);
    connect(&runs, &RunsModel::modelReset, this, &GroupedRuns::rebuild);
    connect(&runs, &RunsModel::dataChanged, this, &GroupedRuns::runsChanged);
}

QString GroupedRuns::groupTitle(int run) const
{
    const RunPointer data = m_runs.at(run)->run();
    if (!data || m_runs.at(run)->isRunning() || m_runs.at(run)->isQueued())
        return {};
    QStringList parts{shapeText(*data), modeText(data->info)};
    if (data->info.inUnits())
        parts << tr("units");
    return parts.join(QStringLiteral(", "));
}

bool GroupedRuns::matches(int run) const
{
    if (m_words.isEmpty())
        return true;
    const QModelIndex index = m_runs.index(run);
    const QString text
        = QStringList{index.data().toString(), index.data(RunsModel::SubtitleRole).toString(),
                      index.data(RunsModel::ModeRole).toString(), groupTitle(run)}
              .join(QLatin1Char(' '));
    return std::ranges::all_of(
        m_words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

std::vector<GroupedRuns::Row> GroupedRuns::arranged() const
{
    const bool hasHeaders = m_runs.rowCount() >= kHeadersFrom;
    std::vector<Row> rows;
    QStringList groups; // in the order of their first runs; runs without a group come first
    groups << QString();
    std::vector<Row> shown;
    for (int run = 0; run < m_runs.rowCount(); ++run) {
        if (!matches(run))
            continue;
        shown.push_back({run, hasHeaders ? groupTitle(run) : QString()});
        if (!groups.contains(shown.back().group))
            groups << shown.back().group;
    }
    for (const QString& group : groups) {
        if (!group.isEmpty())
            rows.push_back({-1, group});
        std::ranges::copy_if(shown, std::back_inserter(rows),
                             [&](const Row& row) { return row.group == group; });
    }
    return rows;
}

void GroupedRuns::rebuild()
{
    m_soon.stop();
    std::vector<Row> rows = arranged();
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

// A change of a run may also move it to another group.
void GroupedRuns::runsChanged(const QModelIndex& from, const QModelIndex& to)
{
    m_soon.start();
    for (int row = 0; row < rowCount(); ++row) {
        const int run = m_rows[static_cast<std::size_t>(row)].run;
        if (run < 0 || (run >= from.row() && run <= to.row()))
            Q_EMIT dataChanged(index(row), index(row));
    }
}

void GroupedRuns::setFilter(const QString& filter)
{
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (words == m_words)
        return;
    m_words = words;
    rebuild();
}

int GroupedRuns::runOf(const QModelIndex& index) const
{
    return index.isValid() ? m_rows[static_cast<std::size_t>(index.row())].run : -1;
}

QModelIndex GroupedRuns::indexOf(int run) const
{
    const auto found = std::ranges::find(m_rows, run, &Row::run);
    return run < 0 || found == m_rows.end() ? QModelIndex()
                                            : index(static_cast<int>(found - m_rows.begin()));
}

std::vector<int> GroupedRuns::groupOf(const QModelIndex& index) const
{
    std::vector<int> runs;
    if (!index.isValid())
        return runs;
    const QString& group = m_rows[static_cast<std::size_t>(index.row())].group;
    for (const Row& row : m_rows)
        if (row.run >= 0 && row.group == group)
            runs.push_back(row.run);
    return runs;
}

int GroupedRuns::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

Qt::CheckState GroupedRuns::checkOf(const QString& group) const
{
    int runs = 0, checked = 0;
    for (const Row& row : m_rows) {
        if (row.run < 0 || row.group != group)
            continue;
        ++runs;
        checked += m_runs.index(row.run).data(Qt::CheckStateRole).toInt() == Qt::Checked ? 1 : 0;
    }
    return checked == 0 ? Qt::Unchecked : checked == runs ? Qt::Checked : Qt::PartiallyChecked;
}

QVariant GroupedRuns::groupData(const Row& header, int role) const
{
    switch (role) {
    case HeaderRole:
        return true;
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return role == Qt::DisplayRole ? header.group : toolTipText(header.group);
    case Qt::CheckStateRole:
        return checkOf(header.group);
    case RunsModel::ValueRole:
        return QString::number(std::ranges::count_if(
            m_rows, [&](const Row& row) { return row.run >= 0 && row.group == header.group; }));
    default:
        return {};
    }
}

QVariant GroupedRuns::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (row.run < 0)
        return groupData(row, role);
    return role == HeaderRole ? QVariant(false) : m_runs.index(row.run).data(role);
}

bool GroupedRuns::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::CheckStateRole)
        return false;
    const std::vector<int> runs
        = runOf(index) < 0 ? groupOf(index) : std::vector<int>{runOf(index)};
    for (const int run : runs)
        m_runs.setData(m_runs.index(run), value, role);
    return true;
}

Qt::ItemFlags GroupedRuns::flags(const QModelIndex& index) const
{
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable
            | Qt::ItemNeverHasChildren
                           : Qt::NoItemFlags;
}

} // namespace app
