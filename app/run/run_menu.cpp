#include "app/run/run_menu.h"

#include "app/run/find_controller.h"
#include "app/run/run_actions.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

namespace app {

RunMenu::RunMenu(const Parts& parts, const RunActions& actions, QWidget* page)
    : QObject(page)
    , m_parts(parts)
    , m_actions(actions)
    , m_page(page)
{
    connect(parts.timeline, &TimelineWidget::menuRequested, this, &RunMenu::show);
}

void RunMenu::show(const QPoint& at)
{
    auto* menu = named(new QMenu(m_page), "timelineMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const Selection& selection = m_parts.timeline->selection();
    if (selection.kind == Selection::Kind::None) {
        menu->addAction(m_actions.fit);
        menu->addAction(m_actions.fitAll);
        menu->addAction(m_actions.markRange);
    } else {
        addSelection(*menu);
    }
    if (selection.kind != Selection::Kind::None && selection.device.isValid())
        addLane(*menu);
    menu->addSeparator();
    menu->addAction(m_actions.lanes.showAll);
    menu->popup(at);
}

void RunMenu::addSelection(QMenu& menu)
{
    const Selection selection = m_parts.timeline->selection();
    using enum Selection::Kind;
    if (selection.kind != Device) {
        menu.addAction(m_actions.fitSelection);
        menu.addAction(m_actions.notes.note);
        menu.addAction(m_actions.notes.bookmark);
    }
    if (selection.kind == Range)
        menu.addAction(m_actions.savePart);
    if (selection.kind == Op || selection.kind == Bubble)
        addOp(menu, selection);
    QAction* copy = named(menu.addAction(tr("Copy the details as text")), "copyDetails");
    connect(copy, &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(m_parts.details->text()); });
}

void RunMenu::addOp(QMenu& menu, const Selection& selection)
{
    const RunView& view = *m_parts.timeline->view();
    if (const auto cause = toCause(view, selection)) {
        QAction* go = named(menu.addAction(tr("Select the op it waited for: %1")
                                               .arg(opName(view.run().info, view.op(cause->op)))),
                            "selectCause");
        connect(go, &QAction::triggered, this,
                [this, to = *cause] { m_parts.timeline->select(to); });
    }
    if (selection.kind != Selection::Kind::Op)
        return;
    const engine::Op& op = view.op(selection.op);
    const QString kind = fromUtf8(engine::kindShortName(op.kind));
    if (!engine::isCompute(op.kind) || !op.microBatch.isValid())
        return;
    const auto addFind = [&](const char* name, const QString& text, const QString& facets) {
        connect(named(menu.addAction(text), name), &QAction::triggered, this,
                [this, facets] { m_parts.find->openWith(facets); });
    };
    addFind("findKind", tr("Find all %1 of stage %2").arg(kind).arg(op.stage.value),
            QStringLiteral("op:%1 stage:%2").arg(kind).arg(op.stage.value));
    addFind("findMicroBatch", tr("Find micro-batch %1").arg(op.microBatch.value),
            QStringLiteral("mb:%1").arg(op.microBatch.value));
}

void RunMenu::addLane(QMenu& menu)
{
    const RunActions::Lanes& lanes = m_actions.lanes;
    menu.addSeparator();
    for (QAction* action : {lanes.expand, lanes.group, lanes.groupAll, lanes.pin, lanes.up,
                            lanes.down, lanes.hide, lanes.hideOthers})
        menu.addAction(action);
}

} // namespace app
