#pragma once

#include "app/window/main_window.h"
#include "tests/catch.h"

#include <QAction>
#include <QTabBar>
#include <QTemporaryDir>

namespace app {

// A main window with its own settings and an empty folder.
struct Window
{
    Window() { window.show(); }
    QAction* action(const char* name)
    {
        auto* found = window.findChild<QAction*>(QString::fromLatin1(name));
        REQUIRE(found != nullptr);
        return found;
    }
    int tabs() const { return window.findChild<QTabBar*>(QStringLiteral("tabs"))->count(); }

    QTemporaryDir folder;
    Settings settings{folder.filePath(QStringLiteral("settings.ini"))};
    ThemeController theme;
    MainWindow window{theme, settings};
};

} // namespace app
