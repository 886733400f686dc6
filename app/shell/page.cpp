#include "app/shell/page.h"

#include <QAction>
#include <QFocusEvent>
#include <QJsonArray>
#include <QTabBar>

#include <utility>

namespace app {
namespace {

const QString kTabs = QStringLiteral("tabs"), kDocks = QStringLiteral("docks");
// Checkable actions that show or hide a dock.
constexpr const char* kDockActions[] = {"showRuns", "showDetails", "showForm"};

QAction* dockAction(const Page& page, const char* name)
{
    auto* action = page.findChild<QAction*>(QString::fromLatin1(name));
    return action != nullptr && action->isCheckable() ? action : nullptr;
}

} // namespace

QJsonObject Page::state() const
{
    QJsonObject docks;
    for (const char* name : kDockActions)
        if (const QAction* action = dockAction(*this, name))
            docks.insert(QString::fromLatin1(name), action->isChecked());
    QJsonArray chosen;
    for (const QTabBar* bar : findChildren<QTabBar*>())
        chosen.append(bar->currentIndex());
    return {{kDocks, docks}, {kTabs, chosen}};
}

void Page::restoreState(const QJsonObject& state)
{
    const QJsonObject docks = state.value(kDocks).toObject();
    for (const char* name : kDockActions) {
        const QJsonValue isShown = docks.value(QString::fromLatin1(name));
        if (QAction* action = dockAction(*this, name); action != nullptr && isShown.isBool())
            action->setChecked(isShown.toBool());
    }
    const QJsonArray chosen = state.value(kTabs).toArray();
    const QList<QTabBar*> bars = findChildren<QTabBar*>();
    for (int i = 0; chosen.size() == bars.size() && i < bars.size(); ++i)
        if (const int tab = chosen.at(i).toInt(); bars.at(i)->isTabVisible(tab))
            bars.at(i)->setCurrentIndex(tab);
}

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
