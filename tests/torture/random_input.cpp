// random_input SECONDS RUN.sqlite ...: sends random keys, clicks and wheel turns to the window and
// prints its memory every minute. Exits with 1 if the memory keeps growing or the input stops.
#include "app/models/settings.h"
#include "app/pages/window/main_window.h"
#include "app/widgets/controls/control_style.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/page.h"
#include "app/widgets/window/page_tabs.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QPointer>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>

namespace {

constexpr Qt::Key kKeys[] = {
    Qt::Key_A,    Qt::Key_B,      Qt::Key_C,     Qt::Key_D,         Qt::Key_E,      Qt::Key_F,
    Qt::Key_G,    Qt::Key_I,      Qt::Key_K,     Qt::Key_N,         Qt::Key_S,      Qt::Key_W,
    Qt::Key_0,    Qt::Key_1,      Qt::Key_9,     Qt::Key_Left,      Qt::Key_Right,  Qt::Key_Up,
    Qt::Key_Down, Qt::Key_Home,   Qt::Key_End,   Qt::Key_PageUp,    Qt::Key_Tab,    Qt::Key_Return,
    Qt::Key_Plus, Qt::Key_Minus,  Qt::Key_Space, Qt::Key_Backspace, Qt::Key_Delete, Qt::Key_Period,
    Qt::Key_F1,   Qt::Key_Escape, Qt::Key_Escape};

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

class RandomInput
{
public:
    RandomInput(app::MainWindow& window, QStringList files)
        : m_window(window)
        , m_files(std::move(files))
    { }

    // The number of events that a widget has received.
    long sent() const { return m_sent; }

    void send()
    {
        QWidget* window = target();
        if (auto* dialog = qobject_cast<QFileDialog*>(window))
            return dialog->reject(); // it could rename and delete files
        if (window == nullptr)
            return openAgain();
        if (++m_sent % 100 == 0 && window == &m_window)
            closeSome();
        const QPoint at(below(window->width()), below(window->height()));
        QWidget* child = window->childAt(at);
        QWidget* target = child == nullptr ? window : child;
        const QPoint local = target->mapFrom(window, at);
        switch (below(10)) {
        case 0:
        case 1:
        case 2:
            QTest::mouseClick(target, Qt::LeftButton, {}, local);
            break;
        case 3:
            QTest::mouseDClick(target, Qt::LeftButton, {}, local);
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

    // Ctrl+W closes the window when its last page is closed.
    void openAgain()
    {
        if (!m_window.isVisible()) {
            m_window.show();
            m_window.openFiles(m_files);
        }
        m_window.activateWindow();
    }

    // A tab needs up to 10 MiB, so their number is limited; a leak remains.
    void closeSome()
    {
        constexpr int kMostPages = 12;
        if (m_window.findChildren<app::Page*>().size() > kMostPages)
            m_window.tabs().close(m_window.currentPage());
    }

    int below(int limit)
    {
        return limit < 1 ? 0 : static_cast<int>(m_random() % static_cast<unsigned>(limit));
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
        QTest::keyClick(focus == nullptr ? window : focus,
                        kKeys[below(static_cast<int>(std::size(kKeys)))], kModifiers[below(4)]);
    }

    app::MainWindow& m_window;
    QStringList m_files;
    long m_sent = 0;
    std::mt19937 m_random{20261122};
};

// Sends one event after another, also while a dialog runs its own event loop, and ends the program.
class Session
{
public:
    Session(RandomInput input, int seconds)
        : m_input(std::move(input))
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
        std::printf("minute %lld: %ld events, %.0f MiB\n", static_cast<long long>(m_minute),
                    m_before, now);
        std::fflush(stdout);
    }

    int report() const
    {
        const double last = memory();
        std::printf("%ld events in %d s: %.0f MiB after the first minute, %.0f MiB at the end%s\n",
                    m_input.sent(), m_seconds, m_first, last,
                    m_isStuck ? "; the window received no events for a minute" : "");
        return m_isStuck || last > 2 * m_first + 200 ? 1 : 0;
    }

    RandomInput m_input;
    int m_seconds;
    QElapsedTimer m_clock;
    qint64 m_minute = 0;
    double m_first = 0; // MiB after a minute
    long m_before = 0;  // events at the last report
    bool m_isStuck = false;
};

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    if (argc < 2) {
        std::fputs("usage: random_input SECONDS [RUN.sqlite ...]\n", stderr);
        return 2;
    }
    app::Settings settings;
    app::ThemeController theme;
    app::applyLook(application, theme);
    app::MainWindow window(theme, settings);
    window.show();
    window.openFiles(QApplication::arguments().mid(2));
    QApplication::setQuitOnLastWindowClosed(false);
    const QStringList files = QApplication::arguments().mid(2);
    Session session(RandomInput(window, files), std::atoi(argv[1]));
    QTimer::singleShot(2000, [&session] { session.step(); });
    return QApplication::exec();
}
