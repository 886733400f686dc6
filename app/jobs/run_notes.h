#pragma once

#include "app/jobs/background.h"
#include "engine/timeline/note.h"

#include <QObject>
#include <QUndoStack>

#include <vector>

namespace app {

// The notes in the file of one run, in time order. A change shows at once, is written in the
// background in the order of the changes, and can be undone. A change that cannot be written is
// reverted. GUI thread only.
class RunNotes : public QObject
{
    Q_OBJECT

public:
    explicit RunNotes(QObject* parent = nullptr);

    void
    open(const QString& file); // of a run that is not written any more; reads in the background
    const QString& file() const { return m_file; }
    const std::vector<engine::Note>& notes() const { return m_notes; }
    QUndoStack& undoStack() { return m_undo; }

    // Draws an id by lot, so that two windows do not meet, and says when it was made.
    void add(engine::Note note);
    void setText(std::int64_t id, const QString& text);
    void remove(std::int64_t id);

Q_SIGNALS:
    void changed();
    void unreadable(const QString& reason); // there may be notes; none is shown
    // `change` could not be written, and is as if it had not been made.
    void refused(const engine::Note& change, const QString& reason);

private:
    friend class NoteStep;
    const engine::Note* find(std::int64_t id) const; // nullptr: no such note
    void put(const engine::Note& note);              // shown and written
    void take(const engine::Note& note);
    void written(const engine::Note& note, const QString& failure);
    void read();

    Background m_background; // one thread: changes reach the file in their order
    QString m_file;
    std::vector<engine::Note> m_notes;
    QUndoStack m_undo;
};

} // namespace app
