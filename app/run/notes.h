#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/background.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/note.h"

#include <QTimer>
#include <QUndoStack>
#include <QWidget>

#include <optional>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace app {

class Band;
class DataTable;
class RunActions;

// The notes in the file of one run, sorted by time. A change is shown at once, written in the
// background, and can be undone. Changes are written in order; a change that cannot be written is
// reverted. Changes by other windows are read once a second. GUI thread only.
class RunNotes : public QObject
{
    Q_OBJECT

public:
    explicit RunNotes(QObject* parent = nullptr);

    void open(const QString& file); // reads in the background; the file must be complete
    const std::vector<engine::Note>& notes() const { return m_notes; }
    QUndoStack& undoStack() { return m_undo; }

    // Adds a note with the current time. Its id is random, so that ids from two windows do not
    // collide.
    void add(engine::Note note);
    void setText(std::int64_t id, const QString& text);
    void remove(std::int64_t id);

Q_SIGNALS:
    void changed();
    void unreadable(const QString& reason); // no notes are shown
    // `change` could not be written and was reverted.
    void refused(const engine::Note& change, const QString& reason);

private:
    friend class NoteStep;
    struct Stored;
    const engine::Note* find(std::int64_t id) const; // nullptr: the note does not exist
    void put(const engine::Note& note);              // shows and writes a note
    void take(const engine::Note& note);
    void write(const engine::Note& note, std::function<engine::Result<void>()> write);
    void read();
    void show(const Stored& stored);

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

// Table of the notes of a run. When `edited` is emitted, the owner must store the new text and show
// the notes again.
class NotesModel : public TableModel<engine::Note>
{
    Q_OBJECT

public:
    enum class Column : int { Number, Subject, Iteration, Start, Duration, Text };

    explicit NotesModel(QObject* parent = nullptr);
    void show(RunPointer run, std::vector<engine::Note> notes);
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

Q_SIGNALS:
    void edited(std::int64_t id, const QString& text);

private:
    Columns columns() const;
    QString timeText(std::int64_t ticks) const;
    std::int64_t origin(const engine::Note& note) const;

    RunPointer m_run;
};

// The notes of one run: a table, a bar in which a note on the selection is written, and a band that
// says why a note was not stored. If the file is read-only, the notes go to a copy of it.
class NotesPanel : public QWidget
{
    Q_OBJECT

public:
    NotesPanel(const ThemeController& theme, const RunActions& actions, QWidget* parent = nullptr);

    // Both are children of the panel until they are added to a layout.
    QWidget* bar() const { return m_bar; }
    Band* band() const { return m_band; }
    const std::vector<engine::Note>& notes() const { return m_notes.notes(); }
    // Reads the notes once the file is complete. `view` may be nullptr.
    void setRun(const RunViewPointer& view, const RunDocument& document);
    void setSelection(const Selection& selection) { m_selection = selection; }
    void setCurrent(int row); // -1: none; emits no signal

Q_SIGNALS:
    void changed();
    void chosen(int row);
    void closed();                           // the bar was closed
    void openRequested(const QString& file); // the run was copied to `file`

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override; // Enter and Esc in the bar

private:
    void fillBar(const ThemeController& theme);
    QWidget* makeButtons();
    void connectActions();
    void connectNotes();
    void showNotes();
    void showCurrent();
    bool prepare();
    void begin();
    void keep();
    void closeBar();
    void removeCurrent();
    void refuse(const engine::Note& note, const QString& reason);
    // Asks where to copy the run; `note` is then written to the copy.
    void askForCopy(const std::optional<engine::Note>& note);
    void copyRun(const QString& to, const std::optional<engine::Note>& note);

    const RunActions& m_actions;
    NotesModel* m_model;
    QStackedWidget* m_stack;
    DataTable* m_table;
    QToolButton *m_edit = nullptr, *m_remove = nullptr;
    QWidget* m_bar; // 36 px high: the subject of the new note and its text
    QLabel* m_subject;
    QLineEdit* m_text;
    Band* m_band;
    QPushButton* m_copy;
    RunNotes m_notes;
    Background m_copying{this};

    RunViewPointer m_view;
    QString m_file;
    QString m_problem; // why notes cannot be stored; "" if they can
    Selection m_selection;
    engine::Note m_draft; // the note that is being written, without its text
    std::optional<engine::Note> m_refused;
};

} // namespace app
