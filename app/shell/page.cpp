#include "app/shell/page.h"

#include <QAction>
#include <QFocusEvent>
#include <QTabBar>

namespace app {
QAction* Page::makeAction(const char* name, const QString& text, const QKeySequence& key,
                          const std::function<void()>& trigger, const QString& tip)
{
    auto* action = new QAction(text, this);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcut(key);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    if (!tip.isEmpty()) {
        action->setStatusTip(tip);
        action->setToolTip(key.isEmpty() ? tip
                                         : QStringLiteral("%1 (%2)").arg(tip, key.toString()));
    }
    if (trigger)
        connect(action, &QAction::triggered, this, trigger);
    addAction(action);
    return action;
}

void Page::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    if (m_initialFocus)
        m_initialFocus->setFocus(event->reason());
}

} // namespace app
