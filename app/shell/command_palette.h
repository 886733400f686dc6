#pragma once

#include "app/ui/theme.h"

#include <QFrame>
#include <QList>
#include <QPointer>

#include <functional>

class QAction;
class QLineEdit;
class QListWidget;

namespace app {

// Finds an enabled action by a few letters: a command of the window, or one that opens a run or a
// scheme. Up and Down select, Enter runs, Esc closes.
class CommandPalette : public QFrame
{
    Q_OBJECT

public:
    struct Command
    {
        QPointer<QAction> action;
        QString place; // the menu of the action: "File"
    };

    explicit CommandPalette(const ThemeController& theme, QWidget* parent = nullptr);

    // Returns the commands for a typed text, which are shown before the others. They are valid
    // until the next call.
    using Finder = std::function<QList<Command>(const QString& text)>;

    // Opens below the command field. `topRight` is the top right corner of the field in global
    // coordinates.
    void open(const QList<Command>& commands, const QPoint& topRight, Finder finder = {});

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void filter(const QString& text);
    void add(const Command& command);
    void runCurrent();
    void moveBy(int rows);

    const ThemeController& m_theme;
    QList<Command> m_commands;
    Finder m_finder;
    QList<QPointer<QAction>> m_shown; // the action of each row
    QLineEdit* m_field;
    QListWidget* m_list;
};

// Rates how well `text` matches `name`; higher is better. A word of `text` scores 2 if a word of
// `name`, or a synonym of one, starts with it, and 1 if `name` contains it elsewhere. Returns -1 if
// `name` lacks a word.
int matchQuality(const QString& name, const QString& text);

} // namespace app
