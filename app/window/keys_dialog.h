#pragma once

#include "app/ui/theme.h"

#include <QDialog>

class QAction;

namespace app {

// Shows the version, build, licence and libraries.
class AboutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit AboutDialog(const ThemeController& theme, QWidget* parent = nullptr);
};

// The list of keyboard shortcuts, opened with F1 or "?": the gestures and keys of the views from
// resources/help/keys.txt, and every action that has a shortcut.
class KeysDialog : public QDialog
{
    Q_OBJECT

public:
    KeysDialog(const ThemeController& theme, const QList<QAction*>& actions,
               QWidget* parent = nullptr);
};

struct KeyLine
{
    QString group;
    QStringList keys; // keys with the same effect are adjacent
    QString text;

    friend bool operator==(const KeyLine&, const KeyLine&) = default;
};

// Returns the lines of keys.txt, then one line for each shortcut of an action that keys.txt does
// not list.
QList<KeyLine> keyLines(const QList<QAction*>& actions);

} // namespace app
