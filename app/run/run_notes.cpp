#include "app/run/run_notes.h"

#include "app/ui/text.h"
#include "profiler/store/notes.h"

#include <QDateTime>
#include <QFileInfo>
#include <QRandomGenerator>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace app {
namespace {

using engine::Note;

class OneThread : public QThreadPool
{
public:
    OneThread() { setMaxThreadCount(1); }
};

QThreadPool& writer()
{
    static OneThread pool;
    return pool;
}

QString failureOf(const engine::Result<void>& done)
{
    return done ? QString() : fromUtf8(done.error().message);
}

QDateTime lastChange(const QString& file)
{
    return QFileInfo(file).lastModified();
}

} // namespace

struct RunNotes::StoredNotes
{
    std::vector<Note> notes;
    std::string run;
    QString failure;
};

// A change of one note. `before` is nullopt if the note is added, `after` is nullopt if it is
// removed.
class NoteStep : public QUndoCommand
{
public:
    NoteStep(RunNotes& notes, const QString& text, std::optional<Note> before,
             std::optional<Note> after)
        : QUndoCommand(text)
        , m_notes(notes)
        , m_before(std::move(before))
        , m_after(std::move(after))
    { }

    void undo() override { go(m_after, m_before); }
    void redo() override { go(m_before, m_after); }

private:
    void go(const std::optional<Note>& from, const std::optional<Note>& to)
    {
        if (to)
            m_notes.put(*to);
        else if (from)
            m_notes.take(*from);
    }

    RunNotes& m_notes;
    std::optional<Note> m_before, m_after;
};

RunNotes::RunNotes(QObject* parent)
    : QObject(parent)
    , m_background(this, writer())
{
    m_timer.setInterval(1000);
    connect(&m_timer, &QTimer::timeout, this, &RunNotes::readIfChanged);
}

void RunNotes::open(const QString& file)
{
    if (file == m_file)
        return;
    m_file = file;
    m_run.clear();
    m_undo.clear();
    read();
    m_timer.start();
}

void RunNotes::readIfChanged()
{
    if (lastChange(m_file) != m_readAt)
        read();
}

void RunNotes::read()
{
    m_readAt = lastChange(m_file);
    const auto job = [path = m_file.toStdString()]() -> StoredNotes {
        auto notes = profiler::readNotes(path);
        auto run = profiler::runIdentity(path);
        return notes && run
            ? StoredNotes{*std::move(notes), *std::move(run), {}}
            : StoredNotes{{}, {}, fromUtf8((notes ? run.error() : notes.error()).message)};
    };
    m_background.run(job, [this, file = m_file, changes = m_changes](const StoredNotes& answer) {
        if (file != m_file || changes != m_changes)
            return;
        if (m_run.empty())
            m_run = answer.run;
        show(answer.run == m_run || !answer.failure.isEmpty()
                 ? answer
                 : StoredNotes{{}, {}, tr("The file now contains another run. Open it again.")});
    });
}

void RunNotes::show(const StoredNotes& stored)
{
    if (stored.notes != m_notes) {
        m_notes = stored.notes;
        Q_EMIT changed();
    }
    if (!stored.failure.isEmpty())
        Q_EMIT unreadable(stored.failure);
}

const Note* RunNotes::find(std::int64_t id) const
{
    const auto found = std::ranges::find(m_notes, id, &Note::id);
    return found == m_notes.end() ? nullptr : &*found;
}

void RunNotes::add(Note note)
{
    // Scripts read ids as doubles, which are exact below 2^53.
    constexpr qint64 kIds = qint64{1} << 53;
    note.id = QRandomGenerator::global()->bounded(qint64{1}, kIds);
    note.created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    m_undo.push(new NoteStep(*this, tr("note"), std::nullopt, note));
}

void RunNotes::setText(std::int64_t id, const QString& text)
{
    const Note* before = find(id);
    if (before == nullptr || before->text == text.toStdString())
        return;
    Note after = *before;
    after.text = text.toStdString();
    m_undo.push(new NoteStep(*this, tr("edit of a note"), *before, after));
}

void RunNotes::remove(std::int64_t id)
{
    if (const Note* before = find(id))
        m_undo.push(new NoteStep(*this, tr("deletion of a note"), *before, std::nullopt));
}

void RunNotes::put(const Note& note)
{
    ++m_changes;
    std::erase_if(m_notes, [&](const Note& one) { return one.id == note.id; });
    const auto key = [](const Note& one) { return std::tuple(one.window.begin, one.id); };
    m_notes.insert(std::ranges::upper_bound(m_notes, key(note), {}, key), note);
    m_background.run([path = m_file.toStdString(), run = m_run,
                      note] { return failureOf(profiler::putNote(path, note, run)); },
                     [this, note](const QString& failure) { written(note, failure); });
    Q_EMIT changed();
}

void RunNotes::take(const Note& note)
{
    ++m_changes;
    std::erase_if(m_notes, [&](const Note& one) { return one.id == note.id; });
    m_background.run([path = m_file.toStdString(), run = m_run,
                      id = note.id] { return failureOf(profiler::removeNote(path, id, run)); },
                     [this, note](const QString& failure) { written(note, failure); });
    Q_EMIT changed();
}

// Called when a write has ended. If it failed, the notes in memory are replaced by those of the
// file.
void RunNotes::written(const Note& note, const QString& failure)
{
    if (failure.isEmpty())
        return;
    m_undo.clear();
    read();
    Q_EMIT refused(note, failure);
}

} // namespace app
