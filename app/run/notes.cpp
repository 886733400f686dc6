#include "app/run/notes.h"

#include "app/documents/run_document.h"
#include "app/run/run_actions.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"

#include <QAction>
#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

namespace app {

using engine::Note;

namespace {

QThreadPool& noteWriter()
{
    struct OneThread : QThreadPool
    {
        OneThread() { setMaxThreadCount(1); }
    };
    static OneThread pool;
    return pool;
}

// The notes in the file of one run, sorted by time. A change is shown at once, written in the
// background, and can be undone. Changes are written in order; a change that cannot be written is
// reverted. Changes by other windows are read once a second. GUI thread only.
class RunNotes : public QObject
{
public:
    RunNotes()
    {
        m_timer.setInterval(1000);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            if (QFileInfo(m_file).lastModified() != m_readAt)
                read();
        });
    }

    // Reads in the background; the file must be complete.
    void open(const QString& file)
    {
        if (file == m_file)
            return;
        m_file = file;
        m_run.clear();
        m_undo.clear();
        read();
        m_timer.start();
    }

    const std::vector<Note>& notes() const { return m_notes; }
    QUndoStack& undoStack() { return m_undo; }

    // Adds a note with the current time. Its id is random, so that ids from two windows do not
    // collide.
    void add(Note note)
    {
        // Scripts read ids as doubles, which are exact below 2^53.
        constexpr qint64 kIds = qint64{1} << 53;
        note.id = QRandomGenerator::global()->bounded(qint64{1}, kIds);
        note.created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
        m_undo.push(new NoteStep(*this, tr("note"), std::nullopt, note));
    }

    void setText(std::int64_t id, const QString& text)
    {
        const Note* before = find(id);
        if (before == nullptr || before->text == text.toStdString())
            return;
        Note after = *before;
        after.text = text.toStdString();
        m_undo.push(new NoteStep(*this, tr("edit of a note"), *before, after));
    }

    void remove(std::int64_t id)
    {
        if (const Note* before = find(id))
            m_undo.push(new NoteStep(*this, tr("deletion of a note"), *before, std::nullopt));
    }

    std::function<void()> changed;
    std::function<void(const QString& reason)> unreadable; // no notes are shown
    // `change` could not be written and was reverted.
    std::function<void(const Note& change, const QString& reason)> refused;

private:
    struct Stored
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

    // Nullptr: the note does not exist.
    const Note* find(std::int64_t id) const
    {
        const auto found = std::ranges::find(m_notes, id, &Note::id);
        return found == m_notes.end() ? nullptr : &*found;
    }

    // Shows and writes a note.
    void put(const Note& note)
    {
        std::erase_if(m_notes, [&](const Note& one) { return one.id == note.id; });
        const auto key = [](const Note& one) { return std::tuple(one.window.begin, one.id); };
        m_notes.insert(std::ranges::upper_bound(m_notes, key(note), {}, key), note);
        write(note, [path = m_file.toStdString(), run = m_run, note] {
            return profiler::putNote(path, note, run);
        });
    }

    void take(const Note& note)
    {
        std::erase_if(m_notes, [&](const Note& one) { return one.id == note.id; });
        write(note, [path = m_file.toStdString(), run = m_run, id = note.id] {
            return profiler::removeNote(path, id, run);
        });
    }

    // If the write fails, the notes in memory are replaced by those of the file.
    void write(const Note& note, std::function<engine::Result<void>()> write)
    {
        ++m_changes;
        m_background.run(std::move(write), [this, note](const engine::Result<void>& done) {
            if (done)
                return;
            m_undo.clear();
            read();
            Q_EMIT refused(note, fromUtf8(done.error().message));
        });
        Q_EMIT changed();
    }

    void read()
    {
        m_readAt = QFileInfo(m_file).lastModified();
        const auto job = [path = m_file.toStdString()]() -> Stored {
            auto notes = profiler::readNotes(path);
            auto run = profiler::runIdentity(path);
            return notes && run
                ? Stored{*std::move(notes), *std::move(run), {}}
                : Stored{{}, {}, fromUtf8((notes ? run.error() : notes.error()).message)};
        };
        m_background.run(job, [this, file = m_file, changes = m_changes](const Stored& answer) {
            if (file != m_file || changes != m_changes)
                return;
            if (m_run.empty())
                m_run = answer.run;
            show(answer.run == m_run || !answer.failure.isEmpty()
                     ? answer
                     : Stored{{}, {}, tr("The file now contains another run. Open it again.")});
        });
    }

    void show(const Stored& stored)
    {
        if (stored.notes != m_notes) {
            m_notes = stored.notes;
            Q_EMIT changed();
        }
        if (!stored.failure.isEmpty())
            Q_EMIT unreadable(stored.failure);
    }

    Background m_background{this, noteWriter()}; // one thread, so that changes are written in order
    QString m_file;
    // The runIdentity() that m_file had at open(). It prevents writing a note to another run that
    // has replaced the file.
    std::string m_run;
    QDateTime m_readAt; // modification time of m_file at the last read
    // Number of changes by this window. The result of a read is discarded if the number changed
    // during the read.
    int m_changes = 0;
    QTimer m_timer;
    std::vector<Note> m_notes;
    QUndoStack m_undo;
};

// Returns the subject of a note: "1B5 on device 1", "all devices".
QString noteSubject(const engine::Run& run, const Note& note)
{
    const QString where = note.device.isValid() ? QObject::tr("device %1").arg(note.device.value)
                                                : QObject::tr("all devices");
    if (!note.op)
        return where;
    const engine::OpIndex index(run.schedule);
    return QObject::tr("%1 on %2")
        .arg(opName(run.info, engine::opAt(run.schedule, index, *note.op)), where);
}

// Table of the notes of a run. When `edited` is emitted, the owner must store the new text and show
// the notes again.
class NotesModel : public TableModel<Note>
{
public:
    enum class Column : int { Number, Subject, Iteration, Start, Duration, Text };

    explicit NotesModel(QObject* parent)
        : TableModel(parent)
    {
        reset(columns(), {});
    }

    void show(RunPointer run, std::vector<Note> notes)
    {
        m_run = std::move(run);
        reset(columns(), m_run ? std::move(notes) : std::vector<Note>());
    }

    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override
    {
        if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
            return false;
        edited(at(index.row()).id, value.toString().simplified());
        return true;
    }

    Qt::ItemFlags flags(const QModelIndex& index) const override
    {
        const Qt::ItemFlags base = QAbstractTableModel::flags(index);
        const bool isText = index.isValid() && index.column() == static_cast<int>(Column::Text);
        return isText ? base | Qt::ItemIsEditable : base;
    }

    std::function<void(std::int64_t id, const QString& text)> edited;

private:
    Columns columns() const
    {
        const auto text = [](const Note& note) { return QString::fromStdString(note.text); };
        Columns columns = {
            {tr("No."),
             [this](const Note& note) { return QString::number(&note - rows().data() + 1); },
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
                [text](const Note& note) {
                    return note.text.empty() ? tr("bookmark") : text(note);
                },
                Qt::AlignLeft)
            .with(Qt::ToolTipRole, text)
            .with(Qt::EditRole, text)
            .with(kHintRole, [](const Note& note) { return note.text.empty(); });
        return columns;
    }

    QString timeText(std::int64_t ticks) const
    {
        return timeScale(m_run->info, std::max<std::int64_t>(ticks, 0)).withUnit(ticks);
    }

    // Times are relative to the start of the note's iteration, as on the ruler.
    std::int64_t origin(const Note& note) const
    {
        const auto& iterations = m_run->timeline.iterations;
        return note.iteration >= 0 && note.iteration < static_cast<int>(iterations.size())
            ? iterations[static_cast<std::size_t>(note.iteration)].window.begin
            : 0;
    }

    RunPointer m_run;
};

// The notes of one run: a table, a bar in which a note on the selection is written, and a band that
// says why a note was not stored. If the file is read-only, the notes go to a copy of it.
class Panel : public NotesPanel
{
public:
    Panel(const ThemeController& theme, const RunActions& actions)
        : m_theme(theme)
        , m_actions(actions)
    {
        setObjectName(QStringLiteral("notesPanel"));
        m_table->setModel(m_model);
        m_table->setRestColumn(static_cast<int>(NotesModel::Column::Text));
        m_table->setEditTriggers(QAbstractItemView::DoubleClicked
                                 | QAbstractItemView::EditKeyPressed);
        auto* empty = named(
            new EmptyState(theme,
                           {Icon::Note, tr("No note yet"),
                            tr("Select an op, a bubble or a range and press N to add a note."),
                            tr("Note")}),
            "notesEmpty");
        auto* none = new QWidget;
        spaced(new QVBoxLayout(none), {14, 10, 14, 10}, 0, {empty});
        auto* full = new QWidget;
        spaced(new QVBoxLayout(full), {}, 0,
               {{m_table, 1}, makeLine(Qt::Horizontal), makeButtons()});
        m_stack->addWidget(none);
        m_stack->addWidget(full);
        spaced(new QVBoxLayout(this), {}, 0, {m_stack});
        m_band->hide();
        fillBar(theme);
        connect(empty, &EmptyState::activated, this, &Panel::begin);
        connect(m_copy, &QPushButton::clicked, this, [this] { askForCopy(m_refused); });
        connect(m_band->addAction(tr("Close"), QStringLiteral("dismissNoteBand")),
                &QPushButton::clicked, m_band, &QWidget::hide);
        connectActions();
        connectNotes();
        showCurrent();
    }

    // Both are children of the panel until they are added to a layout.
    QWidget* bar() const override { return m_bar; }
    QWidget* band() const override { return m_band; }
    const std::vector<Note>& notes() const override { return m_notes.notes(); }

    // Reads the notes once the file is complete. `view` may be nullptr.
    void setRun(const RunViewPointer& view, const RunDocument& document) override
    {
        m_view = view;
        m_file = document.file();
        m_problem.clear();
        if (!view || m_file.isEmpty())
            m_problem = tr("The run has no file yet in which to store notes.");
        else if (document.state() != RunDocument::State::Finished)
            m_problem = tr("Notes can be added when the run is complete.");
        m_actions.saveCopy->setEnabled(m_problem.isEmpty());
        if (m_problem.isEmpty())
            m_notes.open(m_file);
    }

    void setSelection(const Selection& selection) override { m_selection = selection; }

    // -1: none; emits no signal.
    void setCurrent(int row) override
    {
        if (row < 0)
            m_table->clearSelection();
        else if (row != m_table->currentIndex().row()
                 || m_table->selectionModel()->selectedRows().isEmpty())
            m_table->selectRow(row);
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Delete)
            removeCurrent();
        else
            QWidget::keyPressEvent(event);
    }

    // Enter and Esc in the bar.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const int key
            = event->type() == QEvent::KeyPress ? static_cast<QKeyEvent*>(event)->key() : 0;
        if (key == Qt::Key_Return || key == Qt::Key_Enter)
            keep();
        else if (key == Qt::Key_Escape)
            closeBar();
        else
            return QWidget::eventFilter(watched, event);
        return true;
    }

private:
    void fillBar(const ThemeController& theme)
    {
        constexpr int kLongest = 400; // characters
        m_bar->setFixedHeight(36);
        m_bar->hide();
        m_bar->installEventFilter(this);
        m_text->setPlaceholderText(tr("Add a note; Enter saves it, Esc cancels"));
        m_text->setMaxLength(kLongest);
        m_text->setFixedHeight(26);
        m_text->setMaximumWidth(640);
        QPushButton* keep = makeButton(tr("Keep"), QStringLiteral("keepNote"), "tool");
        keep->setEnabled(false);
        QToolButton* close = makeIconButton("closeNote", Icon::Close, tr("Close (Esc)"), theme);
        spaced(new QHBoxLayout(m_bar), {12, 0, 8, 0}, 8,
               {new IconLabel(theme, Icon::Note, &Chrome::text2),
                m_subject,
                {m_text, 2},
                keep,
                kStretch,
                close});
        connect(keep, &QPushButton::clicked, this, &Panel::keep);
        connect(close, &QToolButton::clicked, this, &Panel::closeBar);
        connect(m_text, &QLineEdit::textChanged, keep,
                [keep](const QString& text) { keep->setEnabled(!text.trimmed().isEmpty()); });
    }

    QWidget* makeButtons()
    {
        auto* bar = makeSurface("plain");
        bar->setFixedHeight(30);
        auto* row = spaced(new QHBoxLayout(bar), {6, 0, 8, 0}, 4);
        const auto add
            = [&](const char* name, const QString& text, const QString& tip, auto clicked) {
                  auto* button = named(new QToolButton, name);
                  button->setText(text);
                  button->setToolTip(tip);
                  button->setAutoRaise(true);
                  connect(button, &QToolButton::clicked, this, clicked);
                  row->addWidget(button);
                  return button;
              };
        add("addNote", tr("Note"), tr("Adds a note on the selection (N)"), [this] { begin(); });
        m_edit = add("editNote", tr("Edit"), tr("Edits the text of the note (F2)"), [this] {
            if (const int note = m_table->currentIndex().row(); note >= 0)
                m_table->edit(m_model->index(note, static_cast<int>(NotesModel::Column::Text)));
        });
        m_remove = add("removeNote", tr("Delete"), tr("Deletes the note (Del); Ctrl+Z restores it"),
                       [this] { removeCurrent(); });
        row->addStretch(1);
        return bar;
    }

    void connectActions()
    {
        QUndoStack& steps = m_notes.undoStack();
        QAction *undo = m_actions.undo, *redo = m_actions.redo;
        undo->setEnabled(false);
        redo->setEnabled(false);
        connect(undo, &QAction::triggered, &steps, &QUndoStack::undo);
        connect(redo, &QAction::triggered, &steps, &QUndoStack::redo);
        connect(&steps, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
        connect(&steps, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
        connect(&steps, &QUndoStack::undoTextChanged, undo,
                [undo](const QString& text) { undo->setText(tr("Undo %1").arg(text).trimmed()); });
        connect(&steps, &QUndoStack::redoTextChanged, redo,
                [redo](const QString& text) { redo->setText(tr("Redo %1").arg(text).trimmed()); });
        connect(m_actions.note, &QAction::triggered, this, &Panel::begin);
        connect(m_actions.bookmark, &QAction::triggered, this, [this] {
            if (prepare())
                m_notes.add(noteOn(m_selection));
        });
        connect(m_actions.saveCopy, &QAction::triggered, this,
                [this] { askForCopy(std::nullopt); });
    }

    void connectNotes()
    {
        m_model->edited
            = [this](std::int64_t id, const QString& text) { m_notes.setText(id, text); };
        m_notes.changed = [this] { showNotes(); };
        m_notes.refused = [this](const Note& note, const QString& reason) { refuse(note, reason); };
        m_notes.unreadable = [this](const QString& reason) {
            if (m_refused) // the refused change has a more specific message
                return;
            m_copy->hide();
            m_band->show(Band::Kind::Warning, tr("The notes cannot be read."), reason);
        };
        const auto choose = [this](const QModelIndex& index) { Q_EMIT chosen(index.row()); };
        connect(m_table, &QTableView::clicked, this, choose);
        connect(m_table, &QTableView::activated, this, choose);
        connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
                &Panel::showCurrent);
    }

    void showNotes()
    {
        if (m_view) {
            const int row = m_table->currentIndex().row();
            const std::int64_t current
                = row >= 0 && row < m_model->rowCount() ? m_model->at(row).id : 0;
            m_model->show(m_view->shared(), notes());
            m_stack->setCurrentIndex(notes().empty() ? 0 : 1);
            for (int i = 0; i < m_model->rowCount(); ++i)
                if (m_model->at(i).id == current)
                    setCurrent(i);
            showCurrent();
        }
        Q_EMIT changed();
    }

    void showCurrent()
    {
        const bool isAny = !m_table->selectionModel()->selectedRows().isEmpty();
        m_edit->setEnabled(isAny);
        m_remove->setEnabled(isAny);
    }

    // Returns false, with the reason in the band, if the selection cannot have a note.
    bool prepare()
    {
        if (m_problem.isEmpty() && canBeNoted(m_selection)) {
            m_band->hide();
            return true;
        }
        m_refused.reset();
        m_copy->hide();
        m_band->show(Band::Kind::Warning, tr("No note can be added."),
                     m_problem.isEmpty() ? tr("Select an op, a bubble, a kernel or a range first.")
                                         : m_problem);
        return false;
    }

    void begin()
    {
        if (!prepare())
            return;
        m_draft = noteOn(m_selection);
        m_subject->setText(tr("Note on %1").arg(noteSubject(m_view->run(), m_draft)));
        m_text->clear();
        m_bar->show();
        m_text->setFocus();
    }

    void keep()
    {
        m_draft.text = m_text->text().simplified().toStdString();
        if (m_draft.text.empty())
            return;
        m_notes.add(m_draft);
        closeBar();
    }

    void closeBar()
    {
        m_bar->hide();
        Q_EMIT closed();
    }

    void removeCurrent()
    {
        const QModelIndexList rows = m_table->selectionModel()->selectedRows();
        if (!rows.isEmpty())
            m_notes.remove(m_model->at(rows.front().row()).id);
    }

    void refuse(const Note& note, const QString& reason)
    {
        m_refused = note;
        m_copy->show();
        m_band->show(Band::Kind::Error, tr("The note was not saved."), reason);
    }

    // Asks where to copy the run; `note` is then written to the copy.
    void askForCopy(const std::optional<Note>& note)
    {
        auto* dialog = named(
            new QFileDialog(this, tr("Save a copy of the run"),
                            QFileInfo(m_file).completeBaseName() + QStringLiteral("-copy.sqlite"),
                            tr("Runs (*.sqlite)")),
            "copyDialog");
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setDefaultSuffix(QStringLiteral("sqlite"));
        connect(dialog, &QFileDialog::fileSelected, this,
                [this, note](const QString& to) { copyRun(to, note); });
        dialog->open();
    }

    void copyRun(const QString& to, const std::optional<Note>& note)
    {
        const auto job = [from = m_file.toStdString(), to, note]() -> QString {
            auto done = profiler::copyRun(from, to.toStdString());
            if (done && note)
                done = profiler::putNote(to.toStdString(), *note);
            return done ? QString() : fromUtf8(done.error().message);
        };
        m_copying.run(job, [this, to](const QString& failure) {
            if (!failure.isEmpty())
                return m_band->show(Band::Kind::Error, tr("The run was not copied."), failure);
            m_band->hide();
            Q_EMIT openRequested(to);
        });
    }

    const ThemeController& m_theme;
    const RunActions& m_actions;
    NotesModel* m_model = new NotesModel(this);
    QStackedWidget* m_stack = new QStackedWidget;
    DataTable* m_table = named(new DataTable(m_theme, 28), "notesTable", tr("Notes"));
    QToolButton *m_edit = nullptr, *m_remove = nullptr;
    // 36 px high: the subject of the new note and its text.
    QWidget* m_bar = named(new QWidget(this), "noteBar");
    QLabel* m_subject = named(makeLabel({}, "small"), "noteSubject");
    QLineEdit* m_text = named(new QLineEdit, "noteField", tr("Text of the note"));
    Band* m_band = named(new Band(m_theme, Band::Shape::State, this), "noteBand");
    QPushButton* m_copy = m_band->addAction(tr("Save a copy…"), QStringLiteral("copyForNote"));
    RunNotes m_notes;
    Background m_copying{this};

    RunViewPointer m_view;
    QString m_file;
    QString m_problem; // why notes cannot be stored; "" if they can
    Selection m_selection;
    Note m_draft; // the note that is being written, without its text
    std::optional<Note> m_refused;
};

} // namespace

NotesPanel* NotesPanel::make(const ThemeController& theme, const RunActions& actions)
{
    return new Panel(theme, actions);
}

} // namespace app
