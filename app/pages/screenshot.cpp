#include "app/pages/screenshot.h"

#include "app/pages/main_window.h"
#include "engine/base/new_file.h"
#include "engine/schedules/scheme.h"

#include <QAction>
#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QPixmap>
#include <QTimer>

#include <cstdio>

namespace app {

void scheduleScreenshot(MainWindow& window, const CommandLine& line)
{
    for (const QString& file : line.files) {
        if (QFileInfo::exists(file))
            continue;
        std::fprintf(stderr, "bubblescope: %s does not exist: check the name\n", qPrintable(file));
        QTimer::singleShot(0, &window, [] { QCoreApplication::exit(1); });
        return;
    }
    constexpr int kSettle = 1800; // ms, because runs are read in the background
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
        QBuffer png;
        png.open(QIODevice::WriteOnly);
        shown->grab().save(&png, "PNG");
        const auto saved
            = engine::saveFile(line.screenshot.toStdString(), png.data().toStdString(),
                               line.force ? engine::IfExists::Replace : engine::IfExists::Refuse);
        if (!saved)
            std::fprintf(stderr, "bubblescope: %s\n", saved.error().message.c_str());
        QCoreApplication::exit(saved ? 0 : 1);
    });
}

} // namespace app
