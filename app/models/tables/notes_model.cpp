#include "app/models/tables/notes_model.h"

#include "app/models/numbers.h"
#include "app/models/tables/iterations_model.h"
#include "app/models/tables/table_roles.h"
#include "engine/schedule/notation.h"

#include <utility>

namespace app {

QString noteSubject(const engine::Run& run, const engine::Note& note)
{
    QString where = note.device.isValid() ? NotesModel::tr("device %1").arg(note.device.value)
                                          : NotesModel::tr("all devices");
    if (!note.op)
        return where;
    const engine::OpIndex index(run.schedule);
    const engine::Op& op = engine::opAt(run.schedule, index, *note.op);
    return NotesModel::tr("%1 on %2").arg(QString::fromStdString(engine::toString(op)), where);
}

NotesModel::NotesModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void NotesModel::show(RunPointer run, std::vector<engine::Note> notes)
{
    beginResetModel();
    m_run = std::move(run);
    m_notes = std::move(notes);
    endResetModel();
}

int NotesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_run ? 0 : static_cast<int>(m_notes.size());
}

int NotesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

// Times count from the start of the note's iteration, as on the ruler.
QString NotesModel::text(const engine::Note& note, int row, Column column) const
{
    const auto& iterations = m_run->timeline.iterations;
    const auto* iteration
        = note.iteration >= 0 && note.iteration < static_cast<int>(iterations.size())
        ? &iterations[static_cast<std::size_t>(note.iteration)]
        : nullptr;
    const std::int64_t origin = iteration != nullptr ? iteration->window.begin : 0;
    const auto time = [&](std::int64_t ticks) {
        return timeScale(m_run->info, std::max<std::int64_t>(ticks, 0))
            .withUnit(static_cast<double>(ticks));
    };
    switch (column) {
    case Column::Number:
        return number(row + 1, 0);
    case Column::About:
        return noteSubject(*m_run, note);
    case Column::Iteration:
        return iterationName(m_run->timeline, note.iteration);
    case Column::Start:
        return time(note.window.begin - origin);
    case Column::Duration:
        return time(note.window.duration());
    case Column::Words:
        break;
    }
    return QString::fromStdString(note.text);
}

QVariant NotesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const auto column = static_cast<Column>(index.column());
    const engine::Note& note = at(index.row());
    const bool isBookmark = column == Column::Words && note.text.empty();
    switch (role) {
    case Qt::DisplayRole:
        return isBookmark ? tr("bookmark") : text(note, index.row(), column);
    case Qt::EditRole:
    case Qt::ToolTipRole:
        return text(note, index.row(), column);
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    case kHintRole:
        return isBookmark;
    default:
        return {};
    }
}

bool NotesModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    Q_EMIT edited(at(index.row()).id, value.toString().simplified());
    return true;
}

Qt::ItemFlags NotesModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
    const bool isWords = index.isValid() && index.column() == static_cast<int>(Column::Words);
    return isWords ? usual | Qt::ItemIsEditable : usual;
}

QVariant NotesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const auto column = static_cast<Column>(section);
    const bool isNumber = column == Column::Start || column == Column::Duration;
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft)));
    if (role != Qt::DisplayRole)
        return {};
    const QStringList titles
        = {tr("No."), tr("About"), tr("Iteration"), tr("Start"), tr("Duration"), tr("Note")};
    return titles.value(section);
}

} // namespace app
