#pragma once

#include <QGuiApplication>

namespace bench {

// Fonts and images need an application; no screen.
inline void startQt()
{
    static int argc = 1;
    static char name[] = "bench";
    static char* argv[] = {name, nullptr};
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static QGuiApplication application(argc, argv);
}

} // namespace bench
