#pragma once

#include "app/models/theme.h"

#include <QFrame>
#include <QList>
#include <QPointer>

class QAction;
class QLineEdit;
class QListWidget;

namespace app {

// Finds an enabled action of the window by a few letters. Type, Up and Down, Enter; Esc closes.
class CommandPalette : public QFrame
{
    Q_OBJECT

public:
    struct Command
    {
        QPointer<QAction> action;
        QString place; // its menu: "File"
    };

    explicit CommandPalette(const ThemeController& theme, QWidget* parent = nullptr);

    // Below `anchor` (global coordinates, top right corner of the field).
    void open(const QList<Command>& commands, const QPoint& topRight);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void filter(const QString& text);
    void runCurrent();
    void moveBy(int rows);

    const ThemeController& m_theme;
    QList<Command> m_commands;
    QLineEdit* m_field;
    QListWidget* m_list;
};

// How well `text` matches `name`: each word of `text` starts a word of `name` (best), or occurs in
// it. Negative: no match.
int matchQuality(const QString& name, const QString& text);

} // namespace app
