#pragma once

#include <QTest>

#include <functional>

// Turns the event loop until `isDone`; false when it never is.
inline bool waitFor(const std::function<bool()>& isDone, int milliseconds = 20'000)
{
    return QTest::qWaitFor([&] { return isDone(); }, milliseconds);
}
