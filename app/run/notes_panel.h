#pragma once

#include "app/documents/run_document.h"
#include "app/ui/theme.h"
#include "engine/timeline/note.h"

#include <QWidget>

#include <vector>

class QStackedWidget;
class QToolButton;

namespace app {

class DataTable;
class EmptyState;
class NotesModel;

// The notes of a run as a table. A click selects a note, a double click edits its text, and Del
// requests its deletion. The panel does not change notes itself.
class NotesPanel : public QWidget
{
    Q_OBJECT

public:
    explicit NotesPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunPointer& run, const std::vector<engine::Note>& notes);
    using QWidget::show;
    void setCurrent(int row); // -1: none; emits no signal

Q_SIGNALS:
    void chosen(int row);
    void edited(std::int64_t id, const QString& text);
    void removeRequested(std::int64_t id);
    void noteRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeBar();
    void removeCurrent();
    void editCurrent();
    void showCurrent();

    const ThemeController& m_theme;
    NotesModel* m_model;
    QStackedWidget* m_stack;
    DataTable* m_table;
    QToolButton *m_edit = nullptr, *m_remove = nullptr;
};

} // namespace app
