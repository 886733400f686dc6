#include "app/pages/screenshot.h"

#include "app/pages/main_window.h"
#include "engine/schedules/scheme.h"

#include <QAction>
#include <QCoreApplication>
#include <QPixmap>
#include <QTimer>

#include <cstdio>

namespace app {

void scheduleScreenshot(MainWindow& window, const CommandLine& line)
{
    constexpr int kSettle = 1800; // ms: a run is read in the background
    window.resize(line.size);
    const bool isScheme = line.page == QStringLiteral("scheme");
    if (isScheme || line.page == QStringLiteral("setup"))
        window.newRun();
    if (isScheme)
        window.findChild<QAction*>(QStringLiteral("explainScheme"))->trigger();
    if (line.page == QStringLiteral("editor"))
        window.editSchedule(*engine::buildSchedule(engine::ScheduleRequest()));
    if (line.page == QStringLiteral("keys"))
        window.showKeys();
    if (line.page == QStringLiteral("commands"))
        window.showCommands();
    QTimer::singleShot(kSettle, &window, [&window, line] {
        QWidget* shown = &window;
        for (QWidget* child : window.findChildren<QWidget*>()) {
            if (child != &window && child->isWindow() && child->isVisible())
                shown = child;
        }
        const bool saved = shown->grab().save(line.screenshot);
        if (!saved)
            std::fprintf(stderr, "bubblescope: %s cannot be written\n",
                         qPrintable(line.screenshot));
        QCoreApplication::exit(saved ? 0 : 1);
    });
}

} // namespace app
