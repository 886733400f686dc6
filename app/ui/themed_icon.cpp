#include "app/ui/themed_icon.h"

#include "app/ui/controls.h"

#include <QAbstractButton>
#include <QAction>
#include <QToolButton>

namespace app {
namespace {

template<class Target>
void follow(Target* target, Icon icon, const ThemeController& theme)
{
    const auto draw = [target, icon, &theme] {
        const Chrome& chrome = theme.theme().chrome;
        target->setIcon(makeIcon(icon, chrome.text2, chrome.lineStrong));
    };
    QObject::connect(&theme, &ThemeController::changed, target, draw);
    draw();
}

} // namespace

void followTheme(QAction* target, Icon icon, const ThemeController& theme)
{
    follow(target, icon, theme);
}

void followTheme(QAbstractButton* target, Icon icon, const ThemeController& theme)
{
    follow(target, icon, theme);
}

QToolButton* makeToolButton(QAction* action)
{
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setObjectName(action->objectName() + QStringLiteral("Button"));
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setFixedSize(28, 28);
    button->setIconSize({16, 16});
    return button;
}

QPushButton* makeActionButton(QAction* action)
{
    QPushButton* button = makeButton(
        action->text(), action->objectName() + QStringLiteral("Button"), "tool", action);
    const auto update = [action, button] {
        button->setChecked(action->isChecked());
        button->setIcon(action->icon());
        button->setToolTip(action->toolTip());
    };
    button->setCheckable(action->isCheckable());
    QObject::connect(action, &QAction::changed, button, update);
    update();
    return button;
}

QToolButton* makeIconButton(const char* name, Icon icon, const QString& tip,
                            const ThemeController& theme)
{
    auto* button = new QToolButton;
    button->setObjectName(QString::fromLatin1(name));
    button->setAutoRaise(true);
    button->setFixedSize(24, 24);
    button->setFocusPolicy(Qt::TabFocus);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    followTheme(button, icon, theme);
    return button;
}

} // namespace app
