#include "app/editor/schedule_editor.h"

#include "app/editor/schedule_grid.h"
#include "app/editor/violation_list.h"
#include "app/shell/page.h"
#include "app/ui/controls.h"
#include "engine/schedule/notation.h"

#include <QAction>
#include <QHBoxLayout>
#include <QResizeEvent>

#include <algorithm>

namespace app {

ScheduleEditor::ScheduleEditor(const ThemeController& theme, Page& page)
    : m_check(std::make_shared<ScheduleCheck>())
    , m_grid(named(new ScheduleGrid(theme), "grid", tr("Order of ops")))
    , m_list(new ViolationList(theme))
{
    setFocusProxy(m_grid);
    spaced(new QHBoxLayout(this), {}, 0, {{m_grid, 1}, makeLine(Qt::Vertical), m_list});
    makeActions(page);
    connect(m_list, &ViolationList::placeChosen, this, &ScheduleEditor::select);
    connect(m_list, &ViolationList::restoreRequested, this, &ScheduleEditor::restore);
    connect(m_grid, &ScheduleGrid::moveRequested, this,
            [this](const OpPlace& from, int before) { select(m_edited->move(from, before)); });
    connect(m_grid, &ScheduleGrid::selectionChanged, this, &ScheduleEditor::updateActions);
    connect(m_grid, &ScheduleGrid::selectionChanged, this, &ScheduleEditor::selectionChanged);
    updateActions();
}

ScheduleEditor::~ScheduleEditor()
{
    m_grid->setSchedule(nullptr); // before its schedule is destroyed
    if (m_edited != nullptr)      // clearing the stack would emit signals
        m_edited->undoStack().disconnect(this);
}

void ScheduleEditor::makeActions(Page& page)
{
    const auto make = [&](const char* name, const QString& text, const QString& key,
                          const QString& tip, const std::function<void()>& trigger) {
        m_actions.append(page.makeAction(name, text, key, trigger, tip));
        return m_actions.back();
    };
    m_undo = make("undo", tr("&Undo"), tr("Ctrl+Z"), tr("undo the last change"),
                  [this] { m_edited->undoStack().undo(); });
    m_redo = make("redo", tr("&Redo"), tr("Ctrl+Shift+Z"), tr("redo the last undone change"),
                  [this] { m_edited->undoStack().redo(); });
    m_redo->setShortcuts({QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))});
    m_revert = make("revertSchedule", tr("Re&vert"), tr("Ctrl+Shift+Backspace"),
                    tr("undo all changes since opening or saving"), [this] { revert(); });
    m_earlier = make("opEarlier", tr("&Earlier"), tr("Ctrl+Left"),
                     tr("swap the op with the one before it"),
                     [this] { select(m_edited->swap(selected(), -1)); });
    m_later
        = make("opLater", tr("&Later"), tr("Ctrl+Right"), tr("swap the op with the one after it"),
               [this] { select(m_edited->swap(selected(), 1)); });
    m_delete = make("opDelete", tr("&Delete"), tr("Del"), tr("remove the op"),
                    [this] { select(m_edited->remove(selected())); });
    m_restore = make("opRestore", tr("Re&store"), tr("Ins"),
                     tr("restore the chosen missing op, or the last removed one"),
                     [this] { restore(m_list->chosenAbsent()); });
    m_next = make("nextViolation", tr("&Next violation"), tr("F8"),
                  tr("go to the next op with a violation"), [this] { nextViolation(); });
}

void ScheduleEditor::setSchedule(std::unique_ptr<EditedSchedule> schedule)
{
    m_edited = std::move(schedule);
    connect(m_edited.get(), &EditedSchedule::changed, this, [this](const OpPlace& place) {
        Q_EMIT changed();
        select(place);
    });
    const QUndoStack& stack = m_edited->undoStack();
    connect(&stack, &QUndoStack::indexChanged, this, &ScheduleEditor::updateActions);
    connect(&stack, &QUndoStack::indexChanged, this, &ScheduleEditor::modifiedChanged);
    connect(&stack, &QUndoStack::cleanChanged, this, &ScheduleEditor::modifiedChanged);
    m_grid->setSchedule(m_edited.get());
    Q_EMIT changed();
    select({0, 0});
}

bool ScheduleEditor::isModified() const
{
    return m_edited != nullptr && !m_edited->undoStack().isClean();
}

OpPlace ScheduleEditor::selected() const
{
    return m_grid->selected();
}

void ScheduleEditor::check(const QString& name, const PredictionRequest& request)
{
    m_check
        = std::make_shared<const ScheduleCheck>(checkSchedule(m_edited->schedule(), name, request));
    m_grid->setCheck(m_check);
    m_list->show(m_edited->schedule(), *m_check, absentOps(), m_edited->lastRemoved());
    updateActions();
}

// Returns the ops removed from the opened schedule, then other ops that the validator reports as
// missing.
std::vector<AbsentOp> ScheduleEditor::absentOps() const
{
    std::vector<AbsentOp> all = m_edited->removed();
    for (const AbsentOp& missing : m_check->missing) {
        const bool isKnown = std::ranges::any_of(all, [&missing](const AbsentOp& absent) {
            return absent.place.device == missing.place.device
                && engine::toString(absent.op) == engine::toString(missing.op);
        });
        if (!isKnown)
            all.push_back(missing);
    }
    return all;
}

void ScheduleEditor::updateActions()
{
    const bool isOpen = m_edited != nullptr;
    const bool isChosen = isOpen && m_edited->has(selected());
    m_undo->setEnabled(isOpen && m_edited->undoStack().canUndo());
    m_redo->setEnabled(isOpen && m_edited->undoStack().canRedo());
    m_revert->setEnabled(isModified());
    const auto say = [&](QAction* action, const QString& what, const QString& plain) {
        const QString tip = what.isEmpty() ? plain : plain + QStringLiteral(": ") + what;
        action->setToolTip(QStringLiteral("%1 (%2)").arg(tip, action->shortcut().toString()));
    };
    say(m_undo, isOpen ? m_edited->undoStack().undoText() : QString(), tr("undo"));
    say(m_redo, isOpen ? m_edited->undoStack().redoText() : QString(), tr("redo"));
    for (QAction* action : {m_earlier, m_later, m_delete})
        action->setEnabled(isChosen);
    m_restore->setEnabled(isOpen && !m_list->absent().empty());
    m_next->setEnabled(!m_check->messages.empty());
}

void ScheduleEditor::select(OpPlace place)
{
    if (m_edited != nullptr && m_edited->has(place))
        m_grid->select(place);
}

void ScheduleEditor::restore(int row)
{
    const std::vector<AbsentOp> all = m_list->absent();
    if (row < 0 || row >= static_cast<int>(all.size()))
        return;
    AbsentOp absent = all[static_cast<std::size_t>(row)];
    if (absent.place.index < 0)
        absent.place = placeFor(m_edited->schedule(), absent);
    select(m_edited->restore(absent));
}

// The undone steps stay on the stack for redo.
void ScheduleEditor::revert()
{
    QUndoStack& stack = m_edited->undoStack();
    stack.setIndex(std::max(0, stack.cleanIndex()));
}

void ScheduleEditor::nextViolation()
{
    const auto& messages = m_check->messages;
    if (messages.empty())
        return;
    auto next = messages.upper_bound(m_grid->selected());
    select((next == messages.end() ? messages.begin() : next)->first);
    m_grid->setFocus();
}

void ScheduleEditor::resizeEvent(QResizeEvent* event)
{
    constexpr int kNarrow = 1180, kList = 300, kNarrowList = 220;
    m_list->setFixedWidth(event->size().width() < kNarrow ? kNarrowList : kList);
    QWidget::resizeEvent(event);
}

} // namespace app
