#pragma once

#include "app/documents/run_document.h"
#include "app/run/run_notes.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/theme.h"

#include <optional>

class QAction;
class QPushButton;
class QWidget;

namespace app {

class Band;
class NoteBar;
class NotesPanel;

// Manages the notes of one run. A note is added to the selection and edited in the panel. Notes are
// stored in the run's file or, if the file is read-only, in a copy of it.
class NoteController : public QObject
{
    Q_OBJECT

public:
    struct Actions
    {
        QAction *note = nullptr, *bookmark = nullptr, *undo = nullptr, *redo = nullptr,
                *saveCopy = nullptr;
    };

    // The bar and the band are children of `page` until they are added to a layout.
    NoteController(const ThemeController& theme, const Actions& actions, NotesPanel& panel,
                   QWidget& page);

    NoteBar* bar() const { return m_bar; }
    Band* band() const { return m_band; }
    const std::vector<engine::Note>& notes() const { return m_notes.notes(); }
    // Reads the notes once the file is complete. `view` may be nullptr.
    void setRun(const RunViewPointer& view, const RunDocument& document);
    void setSelection(const Selection& selection) { m_selection = selection; }

Q_SIGNALS:
    void changed();
    void closed();                           // the bar was closed
    void openRequested(const QString& file); // the run was copied to `file`; the receiver opens it

private:
    void connectActions();
    void connectPanel();
    void show();
    bool prepare();
    void begin();
    void add(const QString& text);
    void refuse(const engine::Note& note, const QString& reason);
    // Asks where to copy the run; `note` is then written to the copy.
    void askForCopy(const std::optional<engine::Note>& note);

    Actions m_actions;
    NotesPanel& m_panel;
    QWidget& m_page;
    NoteBar* m_bar;
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
