#include "app/run/note_controller.h"

#include "app/run/note_bar.h"
#include "app/run/notes_model.h"
#include "app/run/notes_panel.h"
#include "app/timeline/view/note_marks.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "profiler/store/copy_run.h"
#include "profiler/store/notes.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>

namespace app {

NoteController::NoteController(const ThemeController& theme, const Actions& actions,
                               NotesPanel& panel, QWidget& page)
    : QObject(&page)
    , m_actions(actions)
    , m_panel(panel)
    , m_page(page)
    , m_bar(new NoteBar(theme, &page))
    , m_band(named(new Band(theme, Band::Shape::State, &page), "noteBand"))
    , m_copy(m_band->addAction(tr("Save a copy…"), QStringLiteral("copyForNote")))
{
    m_bar->hide();
    m_band->hide();
    connect(m_copy, &QPushButton::clicked, this, [this] { askForCopy(m_refused); });
    connect(m_band->addAction(tr("Close"), QStringLiteral("dismissNoteBand")),
            &QPushButton::clicked, m_band, &QWidget::hide);
    connectActions();
    connectPanel();
}

void NoteController::connectActions()
{
    QUndoStack& steps = m_notes.undoStack();
    m_actions.undo->setEnabled(false);
    m_actions.redo->setEnabled(false);
    connect(m_actions.undo, &QAction::triggered, &steps, &QUndoStack::undo);
    connect(m_actions.redo, &QAction::triggered, &steps, &QUndoStack::redo);
    connect(&steps, &QUndoStack::canUndoChanged, m_actions.undo, &QAction::setEnabled);
    connect(&steps, &QUndoStack::canRedoChanged, m_actions.redo, &QAction::setEnabled);
    connect(&steps, &QUndoStack::undoTextChanged, m_actions.undo, [this](const QString& text) {
        m_actions.undo->setText(tr("Undo %1").arg(text).trimmed());
    });
    connect(&steps, &QUndoStack::redoTextChanged, m_actions.redo, [this](const QString& text) {
        m_actions.redo->setText(tr("Redo %1").arg(text).trimmed());
    });
    connect(m_actions.note, &QAction::triggered, this, &NoteController::begin);
    connect(m_actions.bookmark, &QAction::triggered, this, [this] {
        if (prepare())
            m_notes.add(noteOn(m_selection));
    });
    connect(m_actions.saveCopy, &QAction::triggered, this, [this] { askForCopy(std::nullopt); });
}

void NoteController::connectPanel()
{
    connect(m_bar, &NoteBar::written, this, &NoteController::add);
    connect(m_bar, &NoteBar::closed, this, [this] {
        m_bar->hide();
        Q_EMIT closed();
    });
    connect(&m_panel, &NotesPanel::noteRequested, this, &NoteController::begin);
    connect(&m_panel, &NotesPanel::edited, &m_notes, &RunNotes::setText);
    connect(&m_panel, &NotesPanel::removeRequested, &m_notes, &RunNotes::remove);
    connect(&m_notes, &RunNotes::changed, this, &NoteController::show);
    connect(&m_notes, &RunNotes::refused, this, &NoteController::refuse);
    connect(&m_notes, &RunNotes::unreadable, this, [this](const QString& reason) {
        if (m_refused) // the refused change has a more specific message
            return;
        m_copy->hide();
        m_band->show(Band::Kind::Warning, tr("The notes cannot be read."), reason);
    });
}

void NoteController::setRun(const RunViewPointer& view, const RunDocument& document)
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

void NoteController::show()
{
    if (m_view)
        m_panel.show(m_view->shared(), m_notes.notes());
    Q_EMIT changed();
}

// Returns false, with the reason in the band, if the selection cannot have a note.
bool NoteController::prepare()
{
    if (!m_problem.isEmpty() || !canBeNoted(m_selection)) {
        m_refused.reset();
        m_copy->hide();
        m_band->show(Band::Kind::Warning, tr("No note can be added."),
                     m_problem.isEmpty() ? tr("Select an op, a bubble, a kernel or a range first.")
                                         : m_problem);
        return false;
    }
    m_band->hide();
    return true;
}

void NoteController::begin()
{
    if (!prepare())
        return;
    m_draft = noteOn(m_selection);
    m_bar->open(noteSubject(m_view->run(), m_draft));
}

void NoteController::add(const QString& text)
{
    m_draft.text = text.toStdString();
    m_notes.add(m_draft);
}

void NoteController::refuse(const engine::Note& note, const QString& reason)
{
    m_refused = note;
    m_copy->show();
    m_band->show(Band::Kind::Error, tr("The note was not saved."), reason);
}

void NoteController::askForCopy(const std::optional<engine::Note>& note)
{
    auto* dialog = named(
        new QFileDialog(&m_page, tr("Save a copy of the run"),
                        QFileInfo(m_file).completeBaseName() + QStringLiteral("-copy.sqlite"),
                        tr("Runs (*.sqlite)")),
        "copyDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("sqlite"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, note](const QString& to) {
        const auto job = [from = m_file.toStdString(), to, note]() -> QString {
            auto done = profiler::copyRun(from, to.toStdString());
            if (done && note)
                done = profiler::putNote(to.toStdString(), *note);
            return done ? QString() : fromUtf8(done.error().message);
        };
        m_copying.run(job, [this, to](const QString& failure) {
            if (failure.isEmpty()) {
                m_band->hide();
                Q_EMIT openRequested(to);
            } else {
                m_band->show(Band::Kind::Error, tr("The run was not copied."), failure);
            }
        });
    });
    dialog->open();
}

} // namespace app
