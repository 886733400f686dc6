#pragma once

#include "app/ui/icons.h"
#include "app/ui/theme.h"

class QAbstractButton;
class QAction;
class QPushButton;
class QToolButton;

namespace app {

// Gives `target` an icon in the theme's secondary text colour.
void followTheme(QAction* target, Icon icon, const ThemeController& theme);
void followTheme(QAbstractButton* target, Icon icon, const ThemeController& theme);

// Makes a toolbar button, 28 x 28 px, for `action`. The parent widget owns the button.
QToolButton* makeToolButton(QAction* action);
// An icon button, 24 x 24 px, with `tip` as tooltip and accessible name; its parent owns it.
QToolButton* makeIconButton(const char* name, Icon icon, const QString& tip,
                            const ThemeController& theme);
// Makes a text button, 24 px high, with the icon, state and tooltip of the action.
QPushButton* makeActionButton(QAction* action);

} // namespace app
