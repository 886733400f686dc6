#pragma once

#include "app/models/theme.h"
#include "app/widgets/controls/icons.h"

class QAbstractButton;
class QAction;
class QPushButton;
class QToolButton;

namespace app {

// Gives `target` an icon in the second text colour that follows the theme.
void followTheme(QAction* target, Icon icon, const ThemeController& theme);
void followTheme(QAbstractButton* target, Icon icon, const ThemeController& theme);

// A button of a toolbar, 28 x 28, that does `action`; its parent owns it.
QToolButton* makeToolButton(QAction* action);
// An icon alone, 24 x 24, with what it does as its tip and its name; its parent owns it.
QToolButton* makeIconButton(const char* name, Icon icon, const QString& tip,
                            const ThemeController& theme);
// The same with its text, 24 high: icon, state and tip are the action's.
QPushButton* makeActionButton(QAction* action);

} // namespace app
