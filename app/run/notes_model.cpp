#include "app/run/notes_model.h"

#include "app/documents/iterations_model.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

namespace app {

QString noteSubject(const engine::Run& run, const engine::Note& note)
{
    QString where = note.device.isValid() ? NotesModel::tr("device %1").arg(note.device.value)
                                          : NotesModel::tr("all devices");
    if (!note.op)
        return where;
    const engine::OpIndex index(run.schedule);
    const engine::Op& op = engine::opAt(run.schedule, index, *note.op);
    return NotesModel::tr("%1 on %2").arg(opName(run.info, op), where);
}

NotesModel::NotesModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void NotesModel::show(RunPointer run, std::vector<engine::Note> notes)
{
    m_run = std::move(run);
    reset(columns(), m_run ? std::move(notes) : std::vector<engine::Note>());
}

// Times are relative to the start of the note's iteration, as on the ruler.
std::int64_t NotesModel::origin(const engine::Note& note) const
{
    const auto& iterations = m_run->timeline.iterations;
    return note.iteration >= 0 && note.iteration < static_cast<int>(iterations.size())
        ? iterations[static_cast<std::size_t>(note.iteration)].window.begin
        : 0;
}

QString NotesModel::timeText(std::int64_t ticks) const
{
    return timeScale(m_run->info, std::max<std::int64_t>(ticks, 0))
        .withUnit(static_cast<double>(ticks));
}

NotesModel::Columns NotesModel::columns() const
{
    using engine::Note;
    const auto text = [](const Note& note) { return QString::fromStdString(note.text); };
    Columns columns = {
        {tr("No."), [this](const Note& note) { return QString::number(&note - rows().data() + 1); },
         Qt::AlignLeft},
        {tr("Subject"), [this](const Note& note) { return noteSubject(*m_run, note); },
         Qt::AlignLeft},
        {tr("Iteration"),
         [this](const Note& note) { return iterationName(m_run->timeline, note.iteration); },
         Qt::AlignLeft},
        {tr("Start"),
         [this](const Note& note) { return timeText(note.window.begin - origin(note)); }},
        {tr("Duration"), [this](const Note& note) { return timeText(note.window.duration()); }},
    };
    for (auto& column : columns)
        column.with(Qt::ToolTipRole, column.text);
    columns
        .emplace_back(
            tr("Note"),
            [text](const Note& note) { return note.text.empty() ? tr("bookmark") : text(note); },
            Qt::AlignLeft)
        .with(Qt::ToolTipRole, text)
        .with(Qt::EditRole, text)
        .with(kHintRole, [](const Note& note) { return note.text.empty(); });
    return columns;
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
    const Qt::ItemFlags base = QAbstractTableModel::flags(index);
    const bool isText = index.isValid() && index.column() == static_cast<int>(Column::Text);
    return isText ? base | Qt::ItemIsEditable : base;
}

} // namespace app
