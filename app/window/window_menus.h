#pragma once

#include "app/shell/command_palette.h"
#include "app/shell/page.h"
#include "app/ui/theme.h"

#include <QObject>

#include <array>
#include <functional>
#include <memory>

class QMenu;
class QPushButton;

namespace app {

class MainWindow;
class Settings;

// The menu bar: the actions of the window and of the current page, the command field at the right,
// and the palette that searches all actions, runs and schemes.
class WindowMenus : public QObject
{
    Q_OBJECT

public:
    WindowMenus(MainWindow& window, ThemeController& theme, Settings& settings);

    void showPage(const Page& page);
    void place(int width); // places the command field in a window of this width
    void showCommands();
    QList<QAction*> actions() const { return m_fixedActions + m_pageActions; }

protected:
    // Sets the check mark of "Full screen" to the state of the window.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeBar();
    void addPages(Menu menu); // the entries of pageKinds()
    void makeFileMenu();
    void makeViewMenu();
    void makeThemeMenu(QMenu* view);
    void makeHelpMenu();
    QList<CommandPalette::Command> foundCommands();
    QAction* add(QMenu* menu, const QString& text, const QString& name, const QKeySequence& keys,
                 const std::function<void()>& trigger);
    QMenu* menu(Menu which) const { return m_menus[static_cast<std::size_t>(which)]; }

    MainWindow& m_window;
    ThemeController& m_theme;
    Settings& m_settings;
    QPushButton* m_commandField; // at the right end of the bar; a click or Ctrl+K opens the palette
    CommandPalette* m_palette;
    std::array<QMenu*, 6> m_menus{}; // indexed by Menu
    QMenu* m_help = nullptr;
    QAction *m_close = nullptr, *m_reopen = nullptr, *m_fullScreen = nullptr;
    std::unique_ptr<QObject> m_found; // owns the actions of foundCommands()
    QList<QAction*> m_fixedActions;   // actions of the window
    QList<QAction*> m_pageActions;    // actions of the current page
};

} // namespace app
