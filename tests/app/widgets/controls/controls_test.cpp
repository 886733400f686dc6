#include "app/widgets/controls/controls.h"
#include "tests/catch.h"

#include <QScreen>

TEST_CASE("a window is not larger than its screen when it opens")
{
    QWidget window;
    const QSize screen = window.screen()->availableGeometry().size();
    window.resize(screen + QSize(500, 300));
    app::fitToScreen(window);
    CHECK(window.width() == screen.width());
    CHECK(window.height() < screen.height()); // it has a frame
    CHECK(window.height() > screen.height() - 100);
}

TEST_CASE("... and keeps its size where that fits, and what it needs at least")
{
    QWidget window;
    window.resize(300, 200);
    app::fitToScreen(window);
    CHECK(window.size() == QSize(300, 200));
    const QSize least = window.screen()->availableGeometry().size() + QSize(40, 40);
    window.setMinimumSize(least);
    window.resize(least + QSize(500, 500));
    app::fitToScreen(window);
    CHECK(window.size() == least);
}
