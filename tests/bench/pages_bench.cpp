#include "app/run/run_panels.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/background.h"
#include "app/ui/settings.h"
#include "app/window/main_window.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <QWheelEvent>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>

// bench_pages RUN.sqlite OTHER.sqlite: the longest event of the GUI thread, in ms of its CPU time,
// while a run is opened, zoomed, moved, hovered, selected, explained, shown by its other pages and
// compared.
namespace {

class Application : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        const QString name
            = QStringLiteral("%1 %2 event %3")
                  .arg(QLatin1String(receiver->metaObject()->className()), receiver->objectName())
                  .arg(event->type());
        const double begin = now();
        ++m_depth;
        const bool isDone = QApplication::notify(receiver, event);
        if (--m_depth == 0)
            took(now() - begin, name);
        return isDone;
    }
    // Calls `act`, and waits until no thread works.
    void measure(const char* what, const std::function<void()>& act)
    {
        m_longest = 0;
        QElapsedTimer whole, quiet;
        whole.start();
        quiet.start();
        const double begin = now();
        ++m_depth;
        act();
        --m_depth;
        took(now() - begin, QStringLiteral("the call itself"));
        constexpr qint64 kQuiet = 400, kMost = 20'000; // ms
        while (quiet.elapsed() < kQuiet && whole.elapsed() < kMost) {
            processEvents(QEventLoop::AllEvents, 20);
            if (QThreadPool::globalInstance()->activeThreadCount() > 0
                || app::sideThreads().activeThreadCount() > 0)
                quiet.restart();
        }
        std::printf("%-28s %8.1f ms  %6.1f s  %s\n", what, m_longest,
                    1e-3 * static_cast<double>(whole.elapsed() - kQuiet), qPrintable(m_slowest));
        std::fflush(stdout);
    }

private:
    static double
    now() // ms of CPU time of this thread, which the load of the machine does not change
    {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
    }
    void took(double ms, const QString& what)
    {
        if (ms > m_longest) {
            m_longest = ms;
            m_slowest = what;
        }
    }

    int m_depth = 0;
    double m_longest = 0;
    QString m_slowest;
};

void wheel(QWidget& widget, int notches, Qt::KeyboardModifiers modifiers)
{
    const QPointF at = widget.rect().center();
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

void walk(Application& application, app::MainWindow& window, const QString& file,
          const QString& other)
{
    application.measure("open", [&] { window.open({"run", {file}}); });
    auto* timeline = window.currentPage()->findChild<app::TimelineWidget*>();
    auto* panels = window.currentPage()->findChild<app::RunPanels*>();
    const auto inTimeline = [&](const char* what, Qt::KeyboardModifiers modifiers) {
        application.measure(what, [&] { wheel(*timeline, 1, modifiers); });
        for (int k = 0; k < 3; ++k)
            application.measure(what, [&] { wheel(*timeline, k < 2 ? -1 : 1, modifiers); });
    };
    inTimeline("zoom", Qt::ControlModifier);
    inTimeline("pan", Qt::ShiftModifier);
    inTimeline("scroll", Qt::NoModifier);
    application.measure("next iteration", [&] { QTest::keyClick(timeline, Qt::Key_PageDown); });
    application.measure(
        "hover", [&] { QTest::mouseMove(timeline, timeline->rect().center() + QPoint(7, 0)); });
    application.measure("select", [&] {
        QTest::mouseClick(timeline, Qt::LeftButton, {}, timeline->rect().center());
    });
    for (int k = 0; k < 4; ++k)
        application.measure("next op", [&] { QTest::keyClick(timeline, Qt::Key_Right); });
    application.measure("collapse groups", [&] { timeline->setCollapsed(timeline->laneGroups()); });
    application.measure("expand groups", [&] { timeline->setCollapsed({}); });
    for (const auto& [panel, name] : {std::pair(app::RunPanels::Panel::Devices, "panel devices"),
                                      {app::RunPanels::Panel::Summary, "panel summary"},
                                      {app::RunPanels::Panel::Events, "panel events"},
                                      {app::RunPanels::Panel::Kernels, "panel kernels"},
                                      {app::RunPanels::Panel::Memory, "panel memory"},
                                      {app::RunPanels::Panel::Progress, "panel progress"}})
        application.measure(name, [&, panel = panel] { panels->open(panel); });
    application.measure("why", [&] {
        timeline->setFocus();
        QTest::keyClick(timeline, Qt::Key_Y);
    });
    for (const char* page : {"memory", "whatif", "import"})
        application.measure(page, [&] { window.open({page, {file}}); });
    application.measure("compare", [&] { window.open({"compare", {file, other}}); });
    application.measure("all runs", [&] { window.open({"runs"}); });
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QTemporaryDir folder;
    qputenv("XDG_DATA_HOME", folder.path().toLocal8Bit());
    Application application(argc, argv);
    if (argc < 3)
        return EXIT_FAILURE;
    app::ThemeController theme;
    app::Settings settings(folder.filePath(QStringLiteral("settings.ini")));
    app::MainWindow window(theme, settings);
    window.resize(1600, 1000);
    window.show();
    walk(application, window, QString::fromLocal8Bit(argv[1]), QString::fromLocal8Bit(argv[2]));
    std::fflush(stdout);
    std::_Exit(EXIT_SUCCESS); // does not wait for what still computes
}
