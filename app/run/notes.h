#pragma once

#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "engine/timeline/note.h"

#include <QWidget>

#include <vector>

namespace app {

class RunActions;
class RunDocument;
class ThemeController;

// The notes of one run: a table, a bar in which a note on the selection is written, and a band that
// says why a note was not stored. If the file is read-only, the notes go to a copy of it.
class NotesPanel : public QWidget
{
    Q_OBJECT

public:
    static NotesPanel* make(const ThemeController& theme, const RunActions& actions);

    // Both are children of the panel until they are added to a layout.
    virtual QWidget* bar() const = 0;
    virtual QWidget* band() const = 0;
    virtual const std::vector<engine::Note>& notes() const = 0;
    // Reads the notes once the file is complete. `view` may be nullptr.
    virtual void setRun(const RunViewPointer& view, const RunDocument& document) = 0;
    virtual void setSelection(const Selection& selection) = 0;
    virtual void setCurrent(int row) = 0; // -1: none; emits no signal

Q_SIGNALS:
    void changed();
    void chosen(int row);
    void closed();                           // the bar was closed
    void openRequested(const QString& file); // the run was copied to `file`
};

} // namespace app
