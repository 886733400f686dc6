// Notes that people make in a run: written into its file, or into a copy where it is read-only.
#include "app/models/tables/notes_model.h"
#include "app/models/text.h"
#include "app/pages/run_page_parts.h"
#include "app/timeline/view/note_marks.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/run/note_bar.h"
#include "app/widgets/run/notes_panel.h"
#include "app/widgets/run/run_panels.h"
#include "app/widgets/timeline/timeline_widget.h"
#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>

namespace app {

void RunPage::connectNotes()
{
    QUndoStack& steps = m_notes.undoStack();
    m->undoNote->setEnabled(false);
    m->redoNote->setEnabled(false);
    connect(m->undoNote, &QAction::triggered, &steps, &QUndoStack::undo);
    connect(m->redoNote, &QAction::triggered, &steps, &QUndoStack::redo);
    connect(&steps, &QUndoStack::canUndoChanged, m->undoNote, &QAction::setEnabled);
    connect(&steps, &QUndoStack::canRedoChanged, m->redoNote, &QAction::setEnabled);
    connect(&steps, &QUndoStack::undoTextChanged, m->undoNote, [this](const QString& text) {
        m->undoNote->setText(tr("Undo %1").arg(text).trimmed());
    });
    connect(&steps, &QUndoStack::redoTextChanged, m->redoNote, [this](const QString& text) {
        m->redoNote->setText(tr("Redo %1").arg(text).trimmed());
    });
    connect(m->note, &QAction::triggered, this, &RunPage::beginNote);
    connect(m->bookmark, &QAction::triggered, this, [this] {
        if (prepareNote())
            addNote({});
    });
    connect(m->noteBar, &NoteBar::written, this, &RunPage::addNote);
    connect(m->noteBar, &NoteBar::closed, this, [this] {
        m->noteBar->hide();
        m->timeline->setFocus();
    });
    NotesPanel& panel = m->panels->notes();
    connect(&panel, &NotesPanel::chosen, m->timeline, &TimelineWidget::goToNote);
    connect(&panel, &NotesPanel::noteRequested, this, &RunPage::beginNote);
    connect(&panel, &NotesPanel::edited, &m_notes, &RunNotes::setText);
    connect(&panel, &NotesPanel::removeRequested, &m_notes, &RunNotes::remove);
    connect(&m_notes, &RunNotes::changed, this, &RunPage::showNotes);
    connect(&m_notes, &RunNotes::refused, this, &RunPage::refuseNote);
    connect(&m_notes, &RunNotes::unreadable, this, [this](const QString& reason) {
        if (m_refusedNote) // that one says more
            return;
        m->noteCopy->hide();
        m->noteBand->show(Band::Kind::Warning, tr("Its notes cannot be read."), reason);
    });
    connect(m->saveCopy, &QAction::triggered, this, [this] { askForCopy(std::nullopt); });
}

QString RunPage::whyNoNotes() const
{
    if (!m_view || m_document->file().isEmpty())
        return tr("There is no run yet that a note could be kept in.");
    if (m_document->state() != RunDocument::State::Finished)
        return tr("The run goes on; notes can be made when it is complete.");
    return {};
}

// Once nobody writes the file any more.
void RunPage::askForNotes()
{
    const bool canHaveNotes = whyNoNotes().isEmpty();
    m->saveCopy->setEnabled(canHaveNotes);
    if (canHaveNotes)
        m_notes.open(m_document->file());
}

void RunPage::showNotes()
{
    m->timeline->setNotes(m_notes.notes());
    if (m_view)
        m->panels->notes().show(m_view->shared(), m_notes.notes());
    m->panels->notes().setCurrent(m->timeline->currentNote());
}

// What is selected becomes the draft; false: there is nothing to note on, and it is said.
bool RunPage::prepareNote()
{
    const Selection& selection = m->timeline->selection();
    const QString problem = whyNoNotes();
    if (!problem.isEmpty() || !canBeNoted(selection)) {
        m_refusedNote.reset();
        m->noteCopy->hide();
        m->noteBand->show(Band::Kind::Warning, tr("Nothing to note on."),
                          problem.isEmpty() ? tr("Select an op, a bubble, a kernel or a range "
                                                 "first.")
                                            : problem);
        return false;
    }
    m->noteBand->hide();
    m->draft = noteOn(selection);
    return true;
}

void RunPage::beginNote()
{
    if (prepareNote())
        m->noteBar->open(noteSubject(m_view->run(), m->draft));
}

void RunPage::addNote(const QString& words)
{
    m->draft.text = words.toStdString();
    m_notes.add(m->draft);
}

void RunPage::refuseNote(const engine::Note& note, const QString& reason)
{
    m_refusedNote = note;
    m->noteCopy->show();
    m->noteBand->show(Band::Kind::Error, tr("Not noted."), reason);
}

void RunPage::askForCopy(const std::optional<engine::Note>& note)
{
    const QFileInfo file(m_document->file());
    auto* dialog = new QFileDialog(this, tr("Save a copy of the run"),
                                   file.completeBaseName() + QStringLiteral("-copy.sqlite"),
                                   tr("Runs (*.sqlite)"));
    dialog->setObjectName(QStringLiteral("copyDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("sqlite"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, note](const QString& to) {
        const auto job = [from = m_document->file().toStdString(), to, note]() -> QString {
            auto done = profiler::copyRun(from, to.toStdString());
            if (done && note)
                done = profiler::putNote(to.toStdString(), *note);
            return done ? QString() : fromUtf8(done.error().message);
        };
        m_copying.run(job, [this, to](const QString& failure) {
            if (failure.isEmpty()) {
                m->noteBand->hide();
                Q_EMIT openRequested(to);
            } else {
                m->noteBand->show(Band::Kind::Error, tr("Not copied."), failure);
            }
        });
    });
    dialog->open();
}

} // namespace app
