#include "app/window/screenshot.h"

#include "app/setup/setup_page.h"
#include "app/timeline/widget/lane_picture.h"
#include "app/window/main_window.h"
#include "app/window/page_kinds.h"
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
#include <utility>

namespace app {

namespace {

constexpr QSize kDefaultSize(1600, 1000); // of a screenshot

// Triggers the action `name` of a page as soon as it is visible and enabled, then calls `then`.
// Does nothing if the action is already checked.
void triggerWhenOffered(const Page& page, const char* name, const std::function<void()>& then)
{
    auto* action = page.findChild<QAction*>(QString::fromLatin1(name));
    if (action == nullptr)
        return;
    const auto trigger = [action, then] {
        if (!action->isVisible() || !action->isEnabled() || action->isChecked())
            return;
        action->disconnect(action); // this connection
        action->trigger();
        then();
    };
    QObject::connect(action, &QAction::changed, action, trigger);
    trigger();
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

// Opens the import report as soon as the run is known to have one, and then the rules. If the
// command line names traces, the current page already shows their report.
void openReport(MainWindow& window, bool withRules)
{
    const auto openRules = [&window, withRules] {
        if (withRules)
            triggerWhenOffered(*window.currentPage(), "editRules", [] {});
    };
    openRules();
    triggerWhenOffered(*window.currentPage(), "importReport", openRules);
    whenRead(window, [&window] {
        const RunsModel& runs = window.library().runs();
        for (int row = 0; row < runs.rowCount(); ++row) {
            const RunPointer run = runs.at(row)->run();
            const QString file = runs.at(row)->file();
            if (run && !run->info.import && window.currentPage()->files().contains(file))
                std::fprintf(stderr, "bubblescope: %s was not imported, so it has no report\n",
                             qPrintable(file));
        }
    });
}

void capture(MainWindow& window, const CommandLine& line)
{
    QWidget* shown = &window;
    for (QWidget* child : window.findChildren<QWidget*>()) {
        if (child != &window && child->isWindow() && child->isVisible())
            shown = child;
    }
    constexpr int kMost = 20'000;                      // ms
    QThreadPool::globalInstance()->waitForDone(kMost); // waits until runs are prepared for painting
    QCoreApplication::processEvents();
    // Painting in the background may need two rounds: a picture of the whole run, then the visible
    // part.
    for (int k = 0; k < 2; ++k) {
        shown->grab(); // requests the pictures
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

} // namespace

void openPage(MainWindow& window, const CommandLine& line)
{
    const PageKind* kind = findPageKind(line.page);
    const bool isOpen = line.page == QStringLiteral("study") && !line.files.isEmpty();
    if (kind != nullptr && !isOpen) {
        PageRequest request{.kind = kind->name};
        if (kind->tabs == PageKind::Tabs::PerRun)
            request.files = line.files.mid(0, 1);
        if (line.page == QStringLiteral("cluster"))
            request.plan = planOnNodes(); // unless it is about a run
        if (line.page == QStringLiteral("editor"))
            request.schedule = std::make_shared<const engine::Schedule>(
                *engine::buildSchedule(engine::ScheduleRequest()));
        window.open(request);
    }
    if (line.page == QStringLiteral("scheme")) {
        window.open({"setup"});
        window.findChild<QAction*>(QStringLiteral("explainScheme"))->trigger();
    }
    if (line.page == QStringLiteral("mapping"))
        qobject_cast<SetupPage*>(window.open({.kind = "setup", .plan = planOnNodes()}))
            ->showMapping();
    if (line.page == QStringLiteral("devices"))
        window.showDevices();
    if (line.page == QStringLiteral("keys"))
        window.showKeys();
    if (line.page == QStringLiteral("commands"))
        window.showCommands();
    if (line.page == QStringLiteral("why"))
        triggerWhenOffered(*window.currentPage(), "whyNotFaster", [] {});
    const bool hasRules = line.page == QStringLiteral("rules");
    if (hasRules || line.page == QStringLiteral("report"))
        openReport(window, hasRules);
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
    constexpr int kSettle = 1800; // ms for preparing runs in the background
    window.resize(line.size.value_or(kDefaultSize));
    openPage(window, line);
    // These pages take longest, because they first read a run or make a kit.
    const QStringList slow{QStringLiteral("cluster"), QStringLiteral("report"),
                           QStringLiteral("rules")};
    const PageKind* kind = findPageKind(line.page);
    const bool isAboutRun = kind != nullptr && kind->about == PageKind::About::Runs;
    const int delay = kSettle * (slow.contains(line.page) ? 3 : isAboutRun ? 2 : 1);
    QTimer::singleShot(0, &window, [&window, line, delay] {
        whenRead(window, [&window, line, delay] {
            QTimer::singleShot(delay, &window, [&window, line] { capture(window, line); });
        });
    });
}

} // namespace app
