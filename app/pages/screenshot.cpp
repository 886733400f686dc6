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

// The actions that lead from a run's page to a page about the run; empty for other pages.
QStringList actionsTo(const QString& page)
{
    const QString report = QStringLiteral("importReport");
    if (page == QStringLiteral("report"))
        return {report};
    if (page == QStringLiteral("rules"))
        return {report, QStringLiteral("editRules")};
    if (page == QStringLiteral("whatif"))
        return {QStringLiteral("whatIf")};
    if (page == QStringLiteral("memory"))
        return {QStringLiteral("memoryPage")};
    return page == QStringLiteral("query") ? QStringList{QStringLiteral("querySql")}
                                           : QStringList();
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
    window.resize(line.size);
    const bool isScheme = line.page == QStringLiteral("scheme");
    if (isScheme || line.page == QStringLiteral("setup"))
        window.newRun();
    if (isScheme)
        window.findChild<QAction*>(QStringLiteral("explainScheme"))->trigger();
    if (line.page == QStringLiteral("editor"))
        window.editSchedule(*engine::buildSchedule(engine::ScheduleRequest()));
    if (line.page == QStringLiteral("estimator"))
        window.openEstimator();
    if (line.page == QStringLiteral("keys"))
        window.showKeys();
    if (line.page == QStringLiteral("commands"))
        window.showCommands();
    int delay = kSettle;
    for (const QString& action : actionsTo(line.page)) {
        QTimer::singleShot(delay, &window, [&window, action] {
            if (auto* found = window.currentPage()->findChild<QAction*>(action))
                found->trigger();
        });
        delay += kSettle;
    }
    QTimer::singleShot(delay, &window, [&window, line] {
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
