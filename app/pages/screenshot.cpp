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

namespace {

// The action of a run's page that opens a page about the run; "" for other pages.
QString actionFor(const QString& page)
{
    if (page == QStringLiteral("whatif"))
        return QStringLiteral("whatIf");
    if (page == QStringLiteral("report"))
        return QStringLiteral("importReport");
    return page == QStringLiteral("query") ? QStringLiteral("querySql") : QString();
}

} // namespace

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
    constexpr int kRead = 1500;   // ms, until the page of a run offers its actions
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
    const QString action = actionFor(line.page);
    if (!action.isEmpty())
        QTimer::singleShot(kRead, &window, [&window, action] {
            if (auto* found = window.currentPage()->findChild<QAction*>(action))
                found->trigger();
        });
    QTimer::singleShot(action.isEmpty() ? kSettle : kRead + kSettle, &window, [&window, line] {
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
