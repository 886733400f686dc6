#include "app/run/notes_panel.h"

#include "app/run/notes_model.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/empty_state.h"
#include "app/ui/themed_icon.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QStackedWidget>
#include <QToolButton>

namespace app {

NotesPanel::NotesPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_model(new NotesModel(this))
    , m_stack(new QStackedWidget)
    , m_table(named(new DataTable(theme, 28), "notesTable", tr("Notes")))
{
    setObjectName(QStringLiteral("notesPanel"));
    m_table->setAccessibleName(tr("Notes"));
    m_table->setModel(m_model);
    m_table->setRestColumn(static_cast<int>(NotesModel::Column::Text));
    m_table->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    auto* empty
        = named(new EmptyState(theme,
                               {Icon::Note, tr("No note yet"),
                                tr("Select an op, a bubble or a range and press N to add a note."),
                                tr("Note")}),
                "notesEmpty");
    auto* none = new QWidget;
    spaced(new QVBoxLayout(none), {14, 10, 14, 10}, 0)->addWidget(empty);
    auto* full = new QWidget;
    spaced(new QVBoxLayout(full), {}, 0, {{m_table, 1}, makeLine(Qt::Horizontal), makeBar()});
    m_stack->addWidget(none);
    m_stack->addWidget(full);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
    connect(empty, &EmptyState::activated, this, &NotesPanel::noteRequested);
    connect(m_model, &NotesModel::edited, this, &NotesPanel::edited);
    const auto choose = [this](const QModelIndex& index) { Q_EMIT chosen(index.row()); };
    connect(m_table, &QTableView::clicked, this, choose);
    connect(m_table, &QTableView::activated, this, choose);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &NotesPanel::showCurrent);
    showCurrent();
}

QWidget* NotesPanel::makeBar()
{
    const auto make = [this](const char* name, const QString& text) {
        auto* button = new QToolButton;
        button->setObjectName(QString::fromLatin1(name));
        button->setText(text);
        button->setAutoRaise(true);
        return button;
    };
    auto* add = make("addNote", tr("Note"));
    add->setToolTip(tr("Adds a note on the selection (N)"));
    m_edit = make("editNote", tr("Edit"));
    m_edit->setToolTip(tr("Edits the text of the note (F2)"));
    m_remove = make("removeNote", tr("Delete"));
    m_remove->setToolTip(tr("Deletes the note (Del); Ctrl+Z restores it"));
    connect(add, &QToolButton::clicked, this, &NotesPanel::noteRequested);
    connect(m_edit, &QToolButton::clicked, this, &NotesPanel::editCurrent);
    connect(m_remove, &QToolButton::clicked, this, &NotesPanel::removeCurrent);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(30);
    spaced(new QHBoxLayout(bar), {6, 0, 8, 0}, 4, {add, m_edit, m_remove, kStretch});
    return bar;
}

void NotesPanel::show(const RunPointer& run, const std::vector<engine::Note>& notes)
{
    const int row = m_table->currentIndex().row();
    const std::int64_t current = row >= 0 && row < m_model->rowCount() ? m_model->at(row).id : 0;
    m_model->show(run, notes);
    m_stack->setCurrentIndex(notes.empty() ? 0 : 1);
    for (int i = 0; i < m_model->rowCount(); ++i)
        if (m_model->at(i).id == current)
            setCurrent(i);
    showCurrent();
}

void NotesPanel::setCurrent(int row)
{
    if (row < 0)
        m_table->clearSelection();
    else if (row != m_table->currentIndex().row()
             || m_table->selectionModel()->selectedRows().isEmpty())
        m_table->selectRow(row);
}

void NotesPanel::showCurrent()
{
    const bool isAny = !m_table->selectionModel()->selectedRows().isEmpty();
    m_edit->setEnabled(isAny);
    m_remove->setEnabled(isAny);
}

void NotesPanel::editCurrent()
{
    const int row = m_table->currentIndex().row();
    if (row >= 0)
        m_table->edit(m_model->index(row, static_cast<int>(NotesModel::Column::Text)));
}

void NotesPanel::removeCurrent()
{
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    if (!rows.isEmpty())
        Q_EMIT removeRequested(m_model->at(rows.front().row()).id);
}

void NotesPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Delete)
        removeCurrent();
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
