#pragma once

#include "app/models/theme.h"

#include <QFrame>
#include <QList>
#include <QPointer>

class QAction;
class QLineEdit;
class QListWidget;

namespace app {

// Finds any enabled action of the window by a few letters. Type, Up and Down, Enter; Esc closes.
class CommandPalette : public QFrame
{
    Q_OBJECT

public:
    struct Command
    {
        QPointer<QAction> action;
        QString place; // the menu it stands in: "File"
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

// How well `text` is found in `name`: each word of `text` begins a word of `name` (best), or
// stands somewhere in it. Negative: not found.
int matchQuality(const QString& name, const QString& text);

} // namespace app
