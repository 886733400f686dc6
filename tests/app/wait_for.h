#pragma once

#include <QAbstractEventDispatcher>
#include <QTest>

#include <functional>

// How long a test waits before it says that something never comes: machines are busy, and only a
// test that fails waits to the end.
constexpr int kNever = 60'000; // ms

// Turns the event loop until `isDone`; false when it never is.
inline bool waitFor(const std::function<bool()>& isDone)
{
    return QTest::qWaitFor([&] { return isDone(); }, kNever);
}

// Turns the event loop until it has nothing to do: what posted events, laid-out widgets and timers
// of 0 ms lead to has happened, however slow the machine is. What threads and processes do may
// still come: that is for waitFor().
inline void settle()
{
    constexpr int kTurns = 10'000; // a timer that is never through
    auto* loop = QAbstractEventDispatcher::instance();
    for (int i = 0; i < kTurns && loop->processEvents(QEventLoop::AllEvents); ++i)
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}
