// random_input SECONDS RUN.sqlite ...: sends random keys, clicks and wheel turns to the window and
// prints its memory every minute. Exits with 1 if the memory keeps growing.
#include "app/models/settings.h"
#include "app/pages/main_window.h"
#include "app/widgets/controls/control_style.h"
#include "app/widgets/controls/controls.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTest>
#include <QWheelEvent>

#include <cstdio>
#include <cstdlib>
#include <random>

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
    void send()
    {
        QWidget* window = QApplication::activeModalWidget() != nullptr
            ? QApplication::activeModalWidget()
            : QApplication::activeWindow();
        if (window == nullptr)
            return;
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
    int below(int limit)
    {
        return limit < 1 ? 0 : static_cast<int>(m_random() % static_cast<unsigned>(limit));
    }

    void drag(QWidget* target, QPoint from)
    {
        QTest::mousePress(target, Qt::LeftButton, {}, from);
        QTest::mouseMove(target, from + QPoint(below(400) - 200, below(200) - 100));
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

    std::mt19937 m_random{20261122};
};

int runFor(int seconds)
{
    RandomInput input;
    QElapsedTimer clock;
    clock.start();
    double first = 0, last = 0;
    long events = 0;
    for (qint64 minute = 0; clock.elapsed() < qint64{1000} * seconds;) {
        input.send();
        ++events;
        QTest::qWait(2);
        if (clock.elapsed() / 60000 <= minute)
            continue;
        minute = clock.elapsed() / 60000;
        last = memory();
        first = first > 0 ? first : last;
        std::printf("minute %lld: %ld events, %.0f MiB\n", static_cast<long long>(minute), events,
                    last);
        std::fflush(stdout);
    }
    std::printf("%ld events in %d s: %.0f MiB after the first minute, %.0f MiB at the end\n",
                events, seconds, first, memory());
    return memory() > 2 * first + 200 ? 1 : 0;
}

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
    QTest::qWait(2000);
    return runFor(std::atoi(argv[1]));
}
