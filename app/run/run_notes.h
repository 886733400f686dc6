#pragma once

#include "app/ui/background.h"
#include "engine/timeline/note.h"

#include <QDateTime>
#include <QObject>
#include <QTimer>
#include <QUndoStack>

#include <vector>

namespace app {

// The notes in the file of one run, sorted by time. A change is shown at once, written in the
// background, and can be undone. Changes are written in order; a change that cannot be written is
// reverted. Changes by other windows are read once a second. GUI thread only.
class RunNotes : public QObject
{
    Q_OBJECT

public:
    explicit RunNotes(QObject* parent = nullptr);

    void open(const QString& file); // reads in the background; the file must be complete
    const QString& file() const { return m_file; }
    const std::vector<engine::Note>& notes() const { return m_notes; }
    QUndoStack& undoStack() { return m_undo; }

    // Adds a note with the current time. Its id is random, so that ids from two windows do not
    // collide.
    void add(engine::Note note);
    void setText(std::int64_t id, const QString& text);
    void remove(std::int64_t id);

Q_SIGNALS:
    void changed();
    // The notes cannot be read, so none are shown.
    void unreadable(const QString& reason);
    // `change` could not be written and was reverted.
    void refused(const engine::Note& change, const QString& reason);

private:
    friend class NoteStep;
    const engine::Note* find(std::int64_t id) const; // nullptr: the note does not exist
    void put(const engine::Note& note);              // shows and writes a note
    void take(const engine::Note& note);
    void written(const engine::Note& note, const QString& failure);
    struct StoredNotes;
    void read();
    void readIfChanged();
    void show(const StoredNotes& stored);

    Background m_background; // one thread, so that changes are written in order
    QString m_file;
    // The runIdentity() that m_file had at open(). It prevents writing a note to another run that
    // has replaced the file.
    std::string m_run;
    QDateTime m_readAt; // modification time of m_file at the last read
    // Number of changes by this window. The result of a read is discarded if the number changed
    // during the read.
    int m_changes = 0;
    QTimer m_timer;
    std::vector<engine::Note> m_notes;
    QUndoStack m_undo;
};

} // namespace app
