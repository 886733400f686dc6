#pragma once

#include <QApplication>

namespace bench {

// Fonts, images and widgets need an application; no screen.
inline void startQt()
{
    static int argc = 1;
    static char name[] = "bench";
    static char* argv[] = {name, nullptr};
    qputenv("QT_QPA_PLATFORM", "offscreen");
    static QApplication application(argc, argv);
}

} // namespace bench
