#include "app/pages/editor_page.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/empty_state.h"
#include "app/widgets/controls/key_numbers.h"
#include "app/widgets/controls/themed_icon.h"
#include "app/widgets/editor/schedule_grid.h"
#include "app/widgets/editor/violation_list.h"
#include "app/widgets/forms/cost_form.h"
#include "app/widgets/setup/schedule_preview.h"

#include <QAction>
#include <QDialog>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

namespace app {

QAction* EditorPage::makeAction(const char* name, const QString& text,
                                const QList<QKeySequence>& keys, const QString& tip)
{
    auto* action = new QAction(text, this);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setStatusTip(tip);
    action->setToolTip(keys.isEmpty() ? tip
                                      : tip + QStringLiteral(" (%1)").arg(keys.front().toString()));
    addAction(action);
    return action;
}

void EditorPage::makeActions()
{
    const auto keys = [](const char* text) {
        return QList<QKeySequence>{QKeySequence(QString::fromLatin1(text))};
    };
    m_undo = makeAction("undo", tr("&Undo"), keys("Ctrl+Z"), tr("undo the last change"));
    m_redo = makeAction("redo", tr("&Redo"), keys("Ctrl+Shift+Z") + keys("Ctrl+Y"),
                        tr("redo the last undone change"));
    m_earlier = makeAction("opEarlier", tr("&Earlier"), keys("Ctrl+Left"),
                           tr("swap the op with the one before it"));
    m_later = makeAction("opLater", tr("&Later"), keys("Ctrl+Right"),
                         tr("swap the op with the one after it"));
    m_delete = makeAction("opDelete", tr("&Delete"), keys("Del"), tr("remove the op"));
    m_restore = makeAction("opRestore", tr("Re&store"), keys("Ins"),
                           tr("restore the chosen missing op, or the last removed one"));
    m_next = makeAction("nextViolation", tr("&Next violation"), keys("F8"),
                        tr("go to the next op with a violation"));
    m_revert = makeAction("revertSchedule", tr("Re&vert"), keys("Ctrl+Shift+Backspace"),
                          tr("undo all changes since opening or saving"));
    m_costs = makeAction("editorCosts", tr("&Costs"), keys("Ctrl+T"),
                         tr("set the costs of F, B, messages and all-reduces"));
    m_save
        = makeAction("saveSchedule", tr("&Save"), keys("Ctrl+S"), tr("save the schedule as CSV"));
    m_saveAs = makeAction("saveScheduleAs", tr("Save &as…"), keys("Ctrl+Shift+S"),
                          tr("save it under another name"));
    m_copy = makeAction("copyScheduleCommand", tr("&Copy as command"), keys("Ctrl+Shift+C"),
                        tr("copy the command that simulates the saved file"));
    m_simulate = makeAction("simulateSchedule", tr("Open as a &run"), keys("Ctrl+Return"),
                            tr("open its simulation as a run"));
    m_train = makeAction("trainSchedule", tr("&Train with it"), keys("Ctrl+R"),
                         tr("train the tiny model in this order"));
}

QWidget* EditorPage::makeToolbar()
{
    QWidget* bar = makeSurface("alt");
    bar->setFixedHeight(40);
    auto* row = spaced(new QHBoxLayout(bar), QMargins(12, 0, 12, 0), 6);
    const auto plain = [](QAction* action) {
        QPushButton* button = makeActionButton(action);
        button->setText(action->text().remove(QLatin1Char('&')));
        return button;
    };
    for (QAction* action :
         {m_undo, m_redo, m_revert, m_earlier, m_later, m_delete, m_restore, m_next, m_costs})
        row->addWidget(plain(action));
    row->addStretch(1);
    for (QAction* action : {m_copy, m_simulate, m_train, m_save})
        row->addWidget(plain(action));
    return bar;
}

QWidget* EditorPage::makeTimes()
{
    auto* widget = new QWidget;
    auto* column = spaced(new QVBoxLayout(widget), QMargins(), 0);
    QWidget* head = makeSurface("alt");
    head->setFixedHeight(32);
    auto* row = spaced(new QHBoxLayout(head), QMargins(12, 0, 12, 0), 8);
    row->addWidget(makeLabel(tr("Times of this order"), "dock"));
    m_timesNote = makeLabel({}, "small");
    m_timesNote->setObjectName(QStringLiteral("timesNote"));
    m_timesNote->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_timesNote, 1);
    column->addWidget(head);
    column->addWidget(makeLine(Qt::Horizontal));
    auto* picture = spaced(new QVBoxLayout, QMargins(14, 4, 8, 4), 0);
    picture->addWidget(m_preview);
    column->addLayout(picture);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_numbers);
    return widget;
}

void EditorPage::buildLayout()
{
    auto* body = new QWidget;
    auto* column = spaced(new QVBoxLayout(body), QMargins(), 0);
    column->addWidget(makeToolbar());
    column->addWidget(makeLine(Qt::Horizontal));
    auto* band = spaced(new QVBoxLayout, QMargins(12, 8, 12, 8), 0);
    band->addWidget(m_band);
    column->addLayout(band);
    auto* middle = spaced(new QHBoxLayout, QMargins(), 0);
    middle->addWidget(m_grid, 1);
    middle->addWidget(makeLine(Qt::Vertical));
    middle->addWidget(m_list);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addLayout(middle, 1);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(makeTimes());

    m_refused = new EmptyState(m_theme, {Icon::Error, {}, {}, tr("Open another file")});
    m_refused->setObjectName(QStringLiteral("refusedSchedule"));
    connect(m_refused, &EmptyState::activated, this, &Page::openDialogRequested);
    auto* error = new QWidget;
    auto* room = spaced(new QVBoxLayout(error), QMargins(40, 40, 40, 40), 0);
    room->addWidget(m_refused);

    m_stack = new QStackedLayout(this);
    m_stack->addWidget(body);
    m_stack->addWidget(error);
    setInitialFocus(m_grid);
}

void EditorPage::showCosts()
{
    auto* dialog = findChild<QDialog*>(QStringLiteral("costsDialog"));
    if (dialog == nullptr) {
        dialog = new QDialog(this);
        dialog->setObjectName(QStringLiteral("costsDialog"));
        dialog->setWindowTitle(tr("Costs of the times"));
        dialog->resize(330, 420);
        auto* form = new CostForm(m_theme, m_plan, CostForm::Order::Given);
        form->showPlan();
        connect(form, &CostForm::edited, this, &EditorPage::checkAgain);
        connect(form, &CostForm::planChanged, this, &EditorPage::checkAgain);
        spaced(new QVBoxLayout(dialog), QMargins(), 0)->addWidget(makeScroll(form));
    }
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
}

void EditorPage::resizeEvent(QResizeEvent* event)
{
    constexpr int kNarrow = 1180, kLow = 720, kList = 300, kNarrowList = 220;
    constexpr int kPicture = 184, kLowPicture = 84;
    m_list->setFixedWidth(event->size().width() < kNarrow ? kNarrowList : kList);
    const bool isLow = event->size().height() < kLow; // the line above the picture has the numbers
    m_preview->setRoom(isLow ? kLowPicture : kPicture);
    m_numbers->setVisible(!isLow);
    Page::resizeEvent(event);
}

} // namespace app
