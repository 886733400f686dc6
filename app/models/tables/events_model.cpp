#include "app/models/tables/events_model.h"

#include "app/models/tables/table_roles.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace app {
namespace {

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

} // namespace

EventsModel::EventsModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void EventsModel::show(RunPointer run, int iteration)
{
    beginResetModel();
    m_run = std::move(run);
    m_iteration = iteration;
    m_rows.clear();
    if (m_run && iteration >= 0) {
        m_window = m_run->timeline.iterations[static_cast<std::size_t>(iteration)].window;
        m_time = timeScale(m_run->info, m_window.duration()).finer(2);
        const engine::OpIndex index(m_run->schedule);
        const auto wanted = static_cast<std::uint32_t>(iteration);
        // Not by the window: spans of no length at its end belong to the iteration too.
        for (const engine::Track& track : m_run->timeline.tracks)
            for (const engine::Span& span :
                 std::ranges::equal_range(track.spans, wanted, {}, &engine::Span::iteration))
                m_rows.push_back({span.window(), span.op, track.device, track.kind,
                                  engine::opAt(m_run->schedule, index, span.op)});
    }
    arrange();
    endResetModel();
}

void EventsModel::sort(int column, Qt::SortOrder order)
{
    Q_EMIT layoutAboutToBeChanged();
    m_sortedBy = static_cast<Column>(column);
    m_order = order;
    arrange();
    Q_EMIT layoutChanged();
}

// Rows that are equal in the column stay in the order of time, then of the device.
void EventsModel::arrange()
{
    const auto key = [column = m_sortedBy](const Event& event) -> std::int64_t {
        switch (column) {
        case Column::Op:
        case Column::Stage:
            return event.what.stage.value;
        case Column::Kind:
            return static_cast<std::int64_t>(event.what.kind);
        case Column::Device:
            return event.device.value;
        case Column::MicroBatch:
            return event.what.microBatch.value;
        case Column::Direction:
            return event.what.replica;
        case Column::Start:
            return event.window.begin;
        case Column::Duration:
            return event.window.duration();
        case Column::End:
            return event.window.end;
        }
        return 0;
    };
    std::ranges::sort(m_rows, [&](const Event& a, const Event& b) {
        const std::int64_t left = key(a), right = key(b);
        if (left != right)
            return m_order == Qt::AscendingOrder ? left < right : right < left;
        return std::tie(a.window.begin, a.device, a.op) < std::tie(b.window.begin, b.device, b.op);
    });
}

int EventsModel::rowOf(std::uint32_t op, engine::Track::Kind lane) const
{
    const auto found = std::ranges::find_if(
        m_rows, [&](const Event& event) { return event.op == op && event.lane == lane; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

int EventsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int EventsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString EventsModel::text(const Event& event, Column column) const
{
    const auto time
        = [this](std::int64_t ticks) { return m_time.text(static_cast<double>(ticks)); };
    const bool hasMicroBatch = event.what.microBatch.isValid();
    switch (column) {
    case Column::Op:
        return QString::fromStdString(engine::toString(event.what));
    case Column::Kind:
        return app::text(engine::kindTitle(event.what.kind));
    case Column::Device:
        return QString::number(event.device.value);
    case Column::Stage:
        return QString::number(event.what.stage.value);
    case Column::MicroBatch:
        return hasMicroBatch ? QString::number(event.what.microBatch.value) : QString();
    case Column::Direction:
        return event.what.replica == 0 ? tr("down") : tr("up");
    case Column::Start:
        return time(event.window.begin - m_window.begin);
    case Column::Duration:
        return time(event.window.duration());
    case Column::End:
        return time(event.window.end - m_window.begin);
    }
    return {};
}

QVariant EventsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto column = static_cast<Column>(index.column());
    const bool isWord = column <= Column::Kind || column == Column::Direction;
    switch (role) {
    case Qt::DisplayRole:
        return text(m_rows[static_cast<std::size_t>(index.row())], column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment((isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case kCodeRole:
        return column == Column::Op;
    case kHintRole:
        return column == Column::Direction;
    default:
        return {};
    }
}

QVariant EventsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns)
        return {};
    const auto column = static_cast<Column>(section);
    if (role == Qt::TextAlignmentRole) {
        const bool isWord = column <= Column::Kind || column == Column::Direction;
        return QVariant::fromValue(
            Qt::Alignment((isWord ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    }
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Column::Op:
        return tr("Op");
    case Column::Kind:
        return tr("Operation");
    case Column::Device:
        return tr("Device");
    case Column::Stage:
        return tr("Stage");
    case Column::MicroBatch:
        return tr("Micro-batch");
    case Column::Direction:
        return tr("Direction");
    case Column::Start:
        return tr("Start, %1").arg(m_time.unit);
    case Column::Duration:
        return tr("Duration, %1").arg(m_time.unit);
    case Column::End:
        return tr("End, %1").arg(m_time.unit);
    }
    return {};
}

} // namespace app
