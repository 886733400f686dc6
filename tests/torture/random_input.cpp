// random_input SECONDS RUN.sqlite ...: sends random keys, clicks, wheel turns and actions of the
// menus to the window. Prints its memory every minute and every event that took more than 250 ms of
// CPU time, with the stack at that moment (addresses for addr2line). Exits with 1 if there was such
// an event, if the memory keeps growing or if the input stops. RANDOM_INPUT_SEED selects the input.
// RANDOM_INPUT_PAGE names the action that opens a page, such as `study`, and the input stays on it.
// random_input pages ROUNDS RUN.sqlite ...: opens every run and closes all pages, ROUNDS times, and
// prints its memory. Exits with 1 if an event took too long or the memory keeps growing.
#include "app/documents/run_document.h"
#include "app/shell/page.h"
#include "app/ui/controls.h"
#include "app/ui/settings.h"
#include "app/ui/theme.h"
#include "app/window/main_window.h"
#include "tests/torture/stack_timer.h"

#include <QAction>
#include <QApplication>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QMenu>
#include <QPointer>
#include <QTest>
#include <QThread>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <utility>

namespace {

constexpr Qt::Key kKeys[]
    = {Qt::Key_A,     Qt::Key_B,      Qt::Key_C,         Qt::Key_D,      Qt::Key_E,
       Qt::Key_F,     Qt::Key_G,      Qt::Key_I,         Qt::Key_K,      Qt::Key_N,
       Qt::Key_S,     Qt::Key_W,      Qt::Key_0,         Qt::Key_1,      Qt::Key_9,
       Qt::Key_Left,  Qt::Key_Right,  Qt::Key_Up,        Qt::Key_Down,   Qt::Key_Home,
       Qt::Key_End,   Qt::Key_PageUp, Qt::Key_Tab,       Qt::Key_Return, Qt::Key_Plus,
       Qt::Key_Minus, Qt::Key_Space,  Qt::Key_Backspace, Qt::Key_Delete, Qt::Key_Period,
       Qt::Key_F1,    Qt::Key_Escape, Qt::Key_Escape,    Qt::Key_H,      Qt::Key_L,
       Qt::Key_M,     Qt::Key_O,      Qt::Key_P,         Qt::Key_R,      Qt::Key_T,
       Qt::Key_U,     Qt::Key_X,      Qt::Key_2,         Qt::Key_3,      Qt::Key_Comma,
       Qt::Key_Slash, Qt::Key_F3,     Qt::Key_Insert};

// Resident memory of this process in MiB.
double memory()
{
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    long size = 0, resident = 0;
    if (file == nullptr || std::fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (file != nullptr)
        std::fclose(file);
    return static_cast<double>(resident) * 4096 / (1 << 20);
}

QString describe(const QObject& object)
{
    return QString::fromLatin1(object.metaObject()->className()) + QLatin1Char(' ')
        + object.objectName();
}

// Measures how long the window does not respond: the CPU time of each event that an event loop
// delivers, without the events of event loops that it started (dialogs, menus).
class TimedApplication : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        if (QThread::currentThread() != thread())
            return QApplication::notify(receiver, event);
        const int level = QThread::currentThread()->loopLevel();
        if (level <= m_level) // sent by the event that is being measured
            return QApplication::notify(receiver, event);
        const QString what
            = QStringLiteral("event %1 to %2").arg(event->type()).arg(describe(*receiver));
        const int outerLevel = std::exchange(m_level, level);
        const double outerNested = std::exchange(m_nested, 0);
        const double start = cpuTime();
        m_stackTimer.start();
        const bool result = QApplication::notify(receiver, event);
        m_stackTimer.stop();
        const double total = cpuTime() - start;
        keep(total - m_nested, what);
        m_level = outerLevel;
        m_nested = outerNested + total;
        return result;
    }

    // What the random input does next; "" after it.
    void setInput(const QString& input) { m_input = input; }
    double longest() const { return m_longest; } // ms

private:
    void keep(double duration, const QString& what)
    {
        m_longest = std::max(m_longest, duration);
        if (duration <= kMostTime)
            return;
        std::printf("%.0f ms: %s\n", duration, qPrintable(what + QStringLiteral(": ") + m_input));
        std::fflush(stdout);
    }

public:
    static constexpr int kMostTime = 250; // ms

private:
    StackTimer m_stackTimer{kMostTime};
    int m_level = -1;    // of the event that is being measured; -1: none
    double m_nested = 0; // ms of the events of inner event loops
    double m_longest = 0;
    QString m_input;
};

// Prints the stack and ends the program as the signal would.
void onCrash(int signal)
{
    printStack();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

class RandomInput
{
public:
    RandomInput(TimedApplication& application, app::MainWindow& window, QStringList files,
                unsigned seed)
        : m_application(application)
        , m_window(window)
        , m_files(std::move(files))
        , m_random(seed)
    { }

    // The number of events that a widget has received.
    qsizetype pages() const { return m_window.tabs().pages().size(); }
    long sent() const { return m_sent; }

    void send()
    {
        QWidget* window = target();
        if (auto* dialog = qobject_cast<QFileDialog*>(window)) {
            say(QStringLiteral("cancel of a file dialog"));
            return dialog->reject(); // it could rename and delete files
        }
        if (window == nullptr)
            return openAgain();
        if (window == &m_window && !m_action.isEmpty() && m_window.currentPage() != m_page)
            return openPage();
        if (++m_sent % 100 == 0 && window == &m_window)
            closeSome();
        if (m_sent % 40 == 0 && window == &m_window)
            return triggerAction();
        const QPoint at(below(window->width()), below(window->height()));
        QWidget* child = window->childAt(at);
        QWidget* target = child == nullptr ? window : child;
        const QPoint local = target->mapFrom(window, at);
        say(QStringLiteral("mouse at %1,%2 on %3")
                .arg(local.x())
                .arg(local.y())
                .arg(describe(*target)));
        switch (below(10)) {
        case 0:
        case 1:
        case 2:
            QTest::mouseClick(target, Qt::LeftButton, {}, local);
            break;
        case 3:
            doubleClick(target, local);
            break;
        case 4:
            QTest::mouseMove(target, local);
            break;
        case 5:
            drag(target, local);
            break;
        case 6:
            turnWheel(target, local);
            break;
        default:
            pressKey(window);
        }
    }

private:
    static QWidget* target()
    {
        for (QWidget* window : {QApplication::activePopupWidget(),
                                QApplication::activeModalWidget(), QApplication::activeWindow()})
            if (window != nullptr && window->isVisible())
                return window;
        return nullptr;
    }

    void say(const QString& input)
    {
        const app::Page* page = m_window.currentPage();
        m_application.setInput(input + QStringLiteral(" of page ")
                               + (page == nullptr ? QString() : describe(*page)));
    }

    // Most actions need a page or a menu that random clicks rarely reach.
    void triggerAction()
    {
        QList<QAction*> actions;
        for (QAction* action : m_window.findChildren<QAction*>())
            if (action->isEnabled() && action->isVisible() && !action->isSeparator()
                && action->menu() == nullptr && action->objectName() != QStringLiteral("quit"))
                actions.append(action);
        QAction* action = actions.at(below(static_cast<int>(actions.size())));
        say(QStringLiteral("action ") + action->objectName() + QLatin1Char(' ') + action->text());
        action->trigger();
    }

    void openPage()
    {
        say(QStringLiteral("action ") + m_action);
        m_window.findChild<QAction*>(m_action)->trigger();
        m_page = m_window.currentPage();
    }

    // Ctrl+W closes the window when its last page is closed.
    void openAgain()
    {
        say(QStringLiteral("the window is opened again"));
        if (!m_window.isVisible()) {
            m_window.show();
            m_window.openFiles(m_files);
        }
        m_window.activateWindow();
    }

    // A tab needs up to 20 MiB, so the oldest ones are closed; a leak remains. A page may refuse.
    void closeSome()
    {
        constexpr int kMostPages = 12;
        say(QStringLiteral("the oldest pages are closed"));
        QList<QPointer<app::Page>> pages;
        for (app::Page* page : m_window.tabs().pages())
            pages.append(page);
        for (qsizetype k = 0; k < pages.size() - kMostPages; ++k)
            if (pages[k])
                m_window.tabs().close(pages[k]);
    }

    int below(int limit)
    {
        return limit < 1 ? 0 : static_cast<int>(m_random() % static_cast<unsigned>(limit));
    }

    // QTest::mouseDClick() alone sends neither the first click nor the last release.
    static void doubleClick(QWidget* target, QPoint at)
    {
        const QPointer<QWidget> alive(target);
        QTest::mouseClick(target, Qt::LeftButton, {}, at);
        if (alive)
            QTest::mouseDClick(target, Qt::LeftButton, {}, at);
        if (alive)
            QTest::mouseRelease(target, Qt::LeftButton, {}, at);
    }

    void drag(QWidget* target, QPoint from)
    {
        const QPointer<QWidget> alive(target);
        QTest::mousePress(target, Qt::LeftButton, {}, from);
        if (alive)
            QTest::mouseMove(target, from + QPoint(below(400) - 200, below(200) - 100));
        if (alive)
            QTest::mouseRelease(target, Qt::LeftButton, {}, from);
    }

    void turnWheel(QWidget* target, QPoint at)
    {
        const QPoint angle(0, below(2) == 0 ? 120 : -120);
        QWheelEvent event(at, target->mapToGlobal(at), {}, angle, Qt::NoButton,
                          below(2) == 0 ? Qt::NoModifier : Qt::ControlModifier, Qt::NoScrollPhase,
                          false);
        QApplication::sendEvent(target, &event);
    }

    // Without Ctrl+Q, which ends the program.
    void pressKey(QWidget* window)
    {
        constexpr Qt::KeyboardModifier kModifiers[]
            = {Qt::NoModifier, Qt::NoModifier, Qt::ShiftModifier, Qt::ControlModifier};
        QWidget* focus = QApplication::focusWidget();
        const Qt::Key key = kKeys[below(static_cast<int>(std::size(kKeys)))];
        const Qt::KeyboardModifier modifier = kModifiers[below(4)];
        QWidget* target = focus == nullptr ? window : focus;
        say(QStringLiteral("key ") + QKeySequence(modifier | key).toString()
            + QStringLiteral(" on ") + describe(*target));
        QTest::keyClick(target, key, modifier);
    }

    TimedApplication& m_application;
    app::MainWindow& m_window;
    QStringList m_files;
    QString m_action = qEnvironmentVariable("RANDOM_INPUT_PAGE");
    QPointer<app::Page> m_page; // that m_action opened
    long m_sent = 0;
    std::mt19937 m_random;
};

// Sends one event after another, also while a dialog runs its own event loop, and ends the program.
class Session
{
public:
    Session(const TimedApplication& application, RandomInput input, int seconds)
        : m_application(application)
        , m_input(std::move(input))
        , m_seconds(seconds)
    {
        m_clock.start();
    }

    void step()
    {
        if (m_clock.elapsed() >= qint64{1000} * m_seconds)
            return QApplication::exit(report());
        QTimer::singleShot(2, [this] { step(); }); // before send(), which may not return for long
        m_input.send();
        if (m_clock.elapsed() / 60000 > m_minute)
            reportMinute();
    }

private:
    void reportMinute()
    {
        m_minute = m_clock.elapsed() / 60000;
        const double now = memory();
        m_first = m_first > 0 ? m_first : now;
        m_isStuck = m_isStuck || m_input.sent() == m_before;
        m_before = m_input.sent();
        std::printf("minute %lld: %ld events, %.0f MiB, %d pages\n",
                    static_cast<long long>(m_minute), m_before, now,
                    static_cast<int>(m_input.pages()));
        std::fflush(stdout);
    }

    int report() const
    {
        const double last = memory();
        std::printf(
            "%ld events in %d s: longest %.0f ms of CPU time, %.0f MiB after the first minute, "
            "%.0f MiB at the end%s\n",
            m_input.sent(), m_seconds, m_application.longest(), m_first, last,
            m_isStuck ? "; the window received no events for a minute" : "");
        const bool isSlow = m_application.longest() > TimedApplication::kMostTime;
        return isSlow || m_isStuck || last > 2 * m_first + 200 ? 1 : 0;
    }

    const TimedApplication& m_application;
    RandomInput m_input;
    int m_seconds;
    QElapsedTimer m_clock;
    qint64 m_minute = 0;
    double m_first = 0; // MiB after a minute
    long m_before = 0;  // events at the last report
    bool m_isStuck = false;
};

// Opens and closes all files, `rounds` times. The memory may grow while caches fill.
int openAndClose(const TimedApplication& application, app::MainWindow& window,
                 const QStringList& files, int rounds)
{
    constexpr int kLoading = 60'000; // ms
    double first = 0, open = 0;
    for (int round = 0; round < rounds; ++round) {
        for (const QString& file : files) {
            window.openFiles({file});
            const auto hasTab = [&] {
                const app::Page* page = window.currentPage();
                return page != nullptr && page->file() == file && page->document() != nullptr
                    && page->document()->state() == app::RunDocument::State::Finished;
            };
            if (!QTest::qWaitFor(hasTab, kLoading)) {
                std::printf("%s did not open\n", qPrintable(file));
                return 1;
            }
        }
        open = memory();
        for (const QPointer<app::Page> page : window.tabs().pages())
            if (page)
                window.tabs().close(page);
        QTest::qWait(0);
        if (round == rounds / 10)
            first = memory();
    }
    const double last = memory();
    std::printf("%d files opened and closed %d times: longest %.0f ms of CPU time, %.0f MiB with "
                "all open, %.0f MiB after the first tenth, %.0f MiB at the end\n",
                static_cast<int>(files.size()), rounds, application.longest(), open, first, last);
    return application.longest() > TimedApplication::kMostTime || last > first + 100 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    for (const int crash : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS})
        std::signal(crash, onCrash);
    TimedApplication application(argc, argv);
    if (argc < 2) {
        std::fputs("usage: random_input SECONDS [RUN.sqlite ...], or pages ROUNDS RUN.sqlite ...\n",
                   stderr);
        return 2;
    }
    app::Settings settings;
    app::ThemeController theme;
    app::applyLook(application, theme);
    app::MainWindow window(theme, settings);
    window.show();
    QApplication::setQuitOnLastWindowClosed(false);
    if (std::string_view(argv[1]) == "pages" && argc > 3)
        return openAndClose(application, window, QApplication::arguments().mid(3),
                            std::atoi(argv[2]));
    const QStringList files = QApplication::arguments().mid(2);
    window.openFiles(files);
    constexpr int kSeed = 20261122;
    bool hasSeed = false;
    const unsigned seed = qEnvironmentVariable("RANDOM_INPUT_SEED").toUInt(&hasSeed);
    Session session(application, RandomInput(application, window, files, hasSeed ? seed : kSeed),
                    std::atoi(argv[1]));
    QTimer::singleShot(2000, [&session] { session.step(); });
    return QApplication::exec();
}
