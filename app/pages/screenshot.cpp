#include "app/pages/screenshot.h"

#include "app/pages/main_window.h"
#include "app/pages/setup_page.h"
#include "app/widgets/timeline/lane_picture.h"
#include "engine/base/new_file.h"
#include "engine/schedules/scheme.h"

#include <QAction>
#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QPixmap>
#include <QThreadPool>
#include <QTimer>

#include <cstdio>
#include <functional>

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
    if (page == QStringLiteral("why"))
        return {QStringLiteral("whyNotFaster")};
    if (page == QStringLiteral("memory"))
        return {QStringLiteral("memoryPage")};
    return page == QStringLiteral("query") ? QStringList{QStringLiteral("querySql")}
                                           : QStringList();
}

// BitPipe's published set-up on 32 A800 (arXiv 2410.19367).
RunPlan onNodes()
{
    RunPlan plan;
    plan.experiment.schedule = {.scheme = "bitpipe",
                                .devices = 8,
                                .microBatches = 16,
                                .chunks = 0,
                                .dataParallel = 4,
                                .options = {},
                                .mapping = {}};
    plan.experiment.mode = engine::Mode::Simulate;
    plan.source.kind = CostSource::Kind::Hardware;
    plan.source.model = QStringLiteral("gpt-96");
    plan.source.hardware = QStringLiteral("a800-sxm-80");
    return plan;
}

// Calls `then` when no run is being read any more.
void whenRead(MainWindow& window, const std::function<void()>& then)
{
    const RunsModel& runs = window.library().runs();
    for (int row = 0; row < runs.rowCount(); ++row) {
        if (runs.at(row)->state() != RunDocument::State::Loading)
            continue;
        QTimer::singleShot(100, &window, [&window, then] { whenRead(window, then); });
        return;
    }
    then();
}

void capture(MainWindow& window, const CommandLine& line)
{
    QWidget* shown = &window;
    for (QWidget* child : window.findChildren<QWidget*>()) {
        if (child != &window && child->isWindow() && child->isVisible())
            shown = child;
    }
    constexpr int kMost = 20'000;                      // ms
    QThreadPool::globalInstance()->waitForDone(kMost); // runs are prepared for painting
    QCoreApplication::processEvents();
    for (int k = 0; k < 2; ++k) { // a picture of the whole run may be painted first
        shown->grab();            // starts the painting of what is in sight
        LanePicture::waitForPainting();
        QCoreApplication::processEvents();
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
}

void openPageThenCapture(MainWindow& window, const CommandLine& line)
{
    constexpr int kSettle = 1800; // ms, because runs are prepared in the background
    int delay = kSettle;
    if (line.page == QStringLiteral("cluster")) {
        if (line.files.isEmpty())
            window.newRun()->setPlan(onNodes());
        QTimer::singleShot(delay, &window, &MainWindow::openCluster);
        delay += 2 * kSettle; // for the kit
    }
    for (const QString& action : actionsTo(line.page)) {
        QTimer::singleShot(delay, &window, [&window, action] {
            if (auto* found = window.currentPage()->findChild<QAction*>(action))
                found->trigger();
        });
        delay += kSettle;
    }
    QTimer::singleShot(delay, &window, [&window, line] { capture(window, line); });
}

} // namespace

void openPage(MainWindow& window, const CommandLine& line)
{
    const bool isScheme = line.page == QStringLiteral("scheme");
    if (isScheme || line.page == QStringLiteral("setup"))
        window.newRun();
    if (isScheme)
        window.findChild<QAction*>(QStringLiteral("explainScheme"))->trigger();
    if (line.page == QStringLiteral("mapping")) {
        SetupPage* page = window.newRun();
        page->setPlan(onNodes());
        page->showMapping();
    }
    if (line.page == QStringLiteral("editor"))
        window.editSchedule(*engine::buildSchedule(engine::ScheduleRequest()));
    if (line.page == QStringLiteral("estimator"))
        window.openEstimator();
    if (line.page == QStringLiteral("study") && line.files.isEmpty())
        window.openStudy();
    if (line.page == QStringLiteral("runs"))
        window.openLedger();
    if (line.page == QStringLiteral("keys"))
        window.showKeys();
    if (line.page == QStringLiteral("commands"))
        window.showCommands();
}

void scheduleScreenshot(MainWindow& window, const CommandLine& line)
{
    for (const QString& file : line.files) {
        if (QFileInfo::exists(file))
            continue;
        std::fprintf(stderr, "bubblescope: %s does not exist: check the name\n", qPrintable(file));
        QTimer::singleShot(0, &window, [] { QCoreApplication::exit(1); });
        return;
    }
    window.resize(line.size);
    openPage(window, line);
    QTimer::singleShot(0, &window, [&window, line] {
        whenRead(window, [&window, line] { openPageThenCapture(window, line); });
    });
}

} // namespace app
