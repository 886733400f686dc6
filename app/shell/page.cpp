#include "app/shell/page.h"

#include <QAction>
#include <QFocusEvent>
#include <QTabBar>

#include <utility>

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

void Page::foldBelow(int width, QAction& shown)
{
    shown.setCheckable(true);
    shown.setChecked(true);
    m_folds.push_back({&shown, width});
}

void Page::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    for (Fold& fold : m_folds) {
        const bool hadRoom = std::exchange(fold.hasRoom, width() >= fold.width);
        if (fold.hasRoom != hadRoom)
            fold.shown->setChecked(fold.hasRoom);
    }
}

} // namespace app
